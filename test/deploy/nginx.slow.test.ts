import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allRoutes } from '../../src/http/routes';
import { buildCatalog } from '../cli/run-catalog';
import type { ServiceProcess } from '../support/service-process';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';
import { findFreePort, isListening } from '../support/free-port';
import { seedLargeShop, untilNothingRuns } from '../support/paused-export';
import { seedApiKey, seedOrder, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

const program = ['/usr/sbin/nginx', 'nginx'].find((each) => spawnSync(each, ['-v']).status === 0);
if (program === undefined) console.log('Not run: docs/deploy/nginx.conf, because nginx is not installed.');

let database: TestDatabase;
let services: ServiceProcess[];
let nginx: ChildProcess;
let origin: string;
let apiKey: string;

/** Internal paths: health, metrics, the subgraph, and the explorer and demo of development. */
const inside = /^\/(livez|readyz|metrics|subgraph|explorer|favicon|demo)/;

(program === undefined ? describe.skip : describe)('docs/deploy/nginx.conf', () => {
  beforeAll(async () => {
    buildCatalog();
    database = await createTestDatabase();
    const shopId = await seedShop(database.sql);
    for (let order = 0; order < 3; order++) await seedOrder(database.sql, shopId);
    ({ apiKey } = await seedApiKey(database.sql, shopId));
    const settings = { ...patientSettings, TRUST_PROXY: '1', RATE_LIMIT_REQUESTS: '50' };
    services = [await startServiceProcess(database.url, settings), await startServiceProcess(database.url, settings)];
    const port = await findFreePort();
    origin = `http://127.0.0.1:${port}`;
    const directory = mkdtempSync(join(tmpdir(), 'catalog-nginx-'));
    const site = readFileSync(join(__dirname, '../../docs/deploy/nginx.conf'), 'utf8')
      .replace('127.0.0.1:4000', `127.0.0.1:${services[0]?.port}`)
      .replace('127.0.0.1:4001', `127.0.0.1:${services[1]?.port}`)
      .replace('listen 80;', `listen 127.0.0.1:${port};`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    writeFileSync(
      join(directory, 'nginx.conf'),
      `daemon off; pid ${directory}/pid; error_log stderr; events {}
       http { access_log off; ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
       ${site} }`,
    );
    nginx = spawn(program as string, ['-e', 'stderr', '-p', directory, '-c', join(directory, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    while (!(await isListening(port)) && nginx.exitCode === null) await delay(20);
  });
  afterAll(async () => {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
    await killServiceProcesses();
    await database.drop();
  });

  const authorization = () => ({ Authorization: `Bearer ${apiKey}` });

  it.each(allRoutes.map(({ path }) => path))('passes %s on if it is for clients, and no other', async (path) => {
    const target = path.replaceAll(/\{\*?\w+\}/g, 'x');
    // Each to its end before the next, because a shop may run one export at a time.
    const ask = async (base: string | undefined) => {
      const response = await fetch(`${base}${target}`, { headers: authorization() });
      await response.arrayBuffer();
      return response;
    };
    const through = await ask(origin);
    const direct = await ask(services[0]?.origin);
    const server = through.headers.get('x-request-id') === null ? 'nginx' : 'the service';
    expect({ server, status: through.status }).toEqual(
      inside.test(path) ? { server: 'nginx', status: 404 } : { server: 'the service', status: direct.status },
    );
  });

  it('passes on an export to its end', async () => {
    const response = await fetch(`${origin}/export`, { headers: authorization() });
    const lines = (await response.text()).trim().split('\n');
    expect(response.status).toBe(200);
    expect(lines.filter((line) => line.includes('"type":"order"'))).toHaveLength(3);
  });

  it('buffers no export that its client does not read: it waits in a file of the service', async () => {
    // 173 MB: more than the buffers of three connections.
    const products = 600;
    const large = await seedApiKey(database.sql, await seedLargeShop(database.sql, products));
    const call = request(`${origin}/export`, { headers: { Authorization: `Bearer ${large.apiKey}` }, agent: false });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await untilNothingRuns(database.sql);
    let end = '';
    for await (const chunk of response) end = (end + String(chunk)).slice(-200);
    expect(end).toContain(`{"type":"complete","products":${products},`);
  });

  /** The status of a call without a valid credential, from a local address. */
  const failFrom = (localAddress: string, forwarded: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: 'Bearer ck_wrong', 'X-Forwarded-For': forwarded };
      request(`${origin}/v1/shop`, { localAddress, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it('gives each IP address its own limit, whatever address a client claims', async () => {
    const statuses: (number | undefined)[] = [];
    // The two processes count separately.
    for (let call = 0; call < 110; call++) statuses.push(await failFrom('127.0.0.2', `10.0.0.${call}`));
    expect([...new Set(statuses)]).toEqual([401, 429]);
    expect(await failFrom('127.0.0.3', '127.0.0.2')).toBe(401);
  });

  it('loses no request when one of two processes goes away', async () => {
    services[0]?.child.kill('SIGKILL');
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++) {
      const response = await fetch(`${origin}/llms.txt`);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual(new Array(20).fill(200));
  });
});
