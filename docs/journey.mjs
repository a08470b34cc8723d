// Prints the files of src/ and rest/ that a request runs, in order of first use, for four requests: a list with a
// search and a cursor, an error for a missing scope, a GraphQL query, a token. Code that runs at startup, in the
// background or in an earlier request (which fills caches) is left out.
//
//   node docs/journey.mjs [--count]
import { AsyncLocalStorage } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const root = dirname(import.meta.dirname);
const require = createRequire(import.meta.url);

/** The files that the current request has run. Timers and earlier requests have their own set, or none. */
const visited = new AsyncLocalStorage();
globalThis.journey = (file) => visited.getStore()?.add(file);

/** Records the file at the beginning of each function. */
function withNotes(text, file) {
  const note = `globalThis.journey(${JSON.stringify(file)})`;
  const edits = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      if (ts.isBlock(node.body)) edits.push([node.body.getStart() + 1, `${note};`]);
      else edits.push([node.body.getStart(), `(${note}, (`], [node.body.getEnd(), '))']);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return edits.sort(([a], [b]) => b - a).reduce((out, [at, added]) => out.slice(0, at) + added + out.slice(at), text);
}

require('../test/support/typescript-hook.cjs');
// The embedded PostgreSQL runs in a process of its own, which compiles as well.
require('../test/support/fork-typescript.cjs');
const { transformSync } = require('@swc/core');
require('node:module')._extensions['.ts'] = (module, filename) => {
  const text = withNotes(readFileSync(filename, 'utf8'), relative(root, filename));
  module._compile(transformSync(text, { filename, configFile: join(root, 'scripts/swc.json') }).code, filename);
};

const directory = mkdtempSync(join(tmpdir(), 'journey-'));
Object.assign(process.env, { DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'fatal' });
const { loadConfig } = require('../src/config/config.ts');
const { createApp } = require('../src/app.ts');
const { createLog } = require('../src/observability/log.ts');
const { provideEverything } = require('../src/process/provide-everything.ts');

const config = loadConfig();
const log = createLog(config);
const { database, demoApiKey } = await provideEverything(config, log);
const app = await createApp(config, { database, log, demoApiKey });
await app.listen();
let latest = new Set();
const { server } = app;
const emit = server.emit.bind(server);
server.emit = (event, ...values) =>
  event === 'request' ? visited.run((latest = new Set()), emit, event, ...values) : emit(event, ...values);
const { port } = server.address();

const send = (path, { headers = {}, method = 'GET', body } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request({ port, path, method, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, body: JSON.parse(text) });
    });
    sent.on('error', reject).end(body);
  });

const bearer = { authorization: `Bearer ${demoApiKey}` };
const basic = { authorization: `Basic ${Buffer.from(demoApiKey.replace('.', ':')).toString('base64')}` };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const token = (scope) =>
  send('/oauth/token', {
    method: 'POST',
    headers: { ...basic, ...form },
    body: `grant_type=client_credentials&scope=${scope}`,
  });
const first = await send('/v1/products?q=a&limit=1', { headers: bearer });
const ordersOnly = { authorization: `Bearer ${(await token('orders:read')).body.access_token}` };
await send('/v1/orders', { headers: ordersOnly });
const query =
  'query ($text: String) { products(first: 2, filter: { query: $text }) { nodes { id title } pageInfo { endCursor } } }';
/** Always the same document, which the service has cached. */
const graphql = (text) =>
  send('/graphql', {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { text } }),
  });
for (let time = 0; time < 3; time += 1) await graphql(`mug ${time}`);

const journeys = [
  [
    'GET /v1/products?q&cursor',
    () => send(`/v1/products?q=a&limit=1&cursor=${first.body.next_cursor}`, { headers: bearer }),
  ],
  ['the same without the scope', () => send('/v1/products', { headers: ordersOnly })],
  ['POST /graphql', () => graphql('tea')],
  ['POST /oauth/token', () => token('catalog:read')],
];
for (const [name, go] of journeys) {
  const { status } = await go();
  console.log(`${name}: ${status}, ${latest.size} files`);
  if (!process.argv.includes('--count')) console.log([...latest].map((file) => `  ${file}`).join('\n'));
}
await app.close(0);
await database.close();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
