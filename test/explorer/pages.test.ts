import type { AddressInfo } from 'node:net';
import express, { Router } from 'express';
import { mountSandbox } from '../../src/http/endpoints/explorer/sandbox';
import { passOnVisits } from '../../src/http/endpoints/graphql/graphql-handler';
import type { HttpDependencies } from '../../src/http/http-dependencies';
import { createMemoryRateLimiter } from '../../src/rate-limit/rate-limiter';

const hostile = '</script><script>alert(1)</script><!-- \u2028 & "\' {{ ${1} }}';

function createApp(hasExplorer = true) {
  const app = express();
  const endpoint = Router();
  endpoint.all('/graphql', passOnVisits, (_request, response) => void response.json({ from: 'graphql' }));
  const dependencies = {
    publicUrl: 'http://127.0.0.1',
    rateLimiter: createMemoryRateLimiter({ points: 120 }),
    reference: hasExplorer ? { demoApiKey: hostile, schema: '' } : undefined,
  } as unknown as HttpDependencies;
  app.use(endpoint, mountSandbox({ demoApiKey: hostile }, dependencies));
  return app;
}

const chromiumAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

/** The app's response to one request. */
async function ask(app: express.Express, path: string, init: { method?: string; accept?: string } = {}) {
  const { method = 'GET', accept = chromiumAccept } = init;
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const answer = await fetch(address, { method, headers: { Accept: accept } });
  const text = await answer.text();
  server.close();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
}

const dataOf = (text: string) =>
  JSON.parse(/id="sandbox-data">(.*)<\/script>/.exec(text)?.[1] ?? '') as Readonly<Record<string, unknown>>;

describe('the Sandbox page', () => {
  test('contains the key only escaped', async () => {
    const { status, text } = await ask(createApp(), '/graphql');
    expect(status).toBe(200);
    expect(text).not.toContain('alert(1)</script>');
    expect(text.match(/<\/?script\b/g)).toHaveLength(6);
    expect(dataOf(text)).toMatchObject({
      options: { initialState: { headers: { Authorization: `Bearer ${hostile}` } } },
    });
  });

  test('allows Apollo’s script and frame and our own endpoint, nothing inline and no other origin', async () => {
    const { headers } = await ask(createApp(), '/graphql');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self' https://embeddable-sandbox.cdn.apollographql.com/v2/embeddable-sandbox.umd.production.min.js; style-src 'self'; img-src data:; connect-src 'self'; frame-src https://sandbox.embed.apollographql.com",
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([true, false])('leads to the explorer only where it is served: %s', async (hasExplorer) => {
    const { status, text } = await ask(createApp(hasExplorer), '/graphql');
    expect(status).toBe(200);
    expect(dataOf(text)['explorer']).toBe(hasExplorer ? '/explorer' : undefined);
  });
});

describe('GraphQL requests to /graphql go past the Sandbox page', () => {
  test.each<[what: string, method: string, path: string, accept: string]>([
    ['curl', 'GET', '/graphql', '*/*'],
    ['JSON', 'GET', '/graphql', 'application/json'],
    ['GraphQL over HTTP', 'GET', '/graphql', 'application/graphql-response+json, application/json;q=0.9'],
    ['JSON rather than HTML', 'GET', '/graphql', 'application/json, text/html;q=0.5'],
    ['a query in the URL', 'GET', '/graphql?query={__typename}', chromiumAccept],
    ['POST', 'POST', '/graphql', chromiumAccept],
  ])('%s', async (_, method, path, accept) => {
    const { text } = await ask(createApp(), path, { method, accept });
    expect(text).toBe('{"from":"graphql"}');
  });
});

test('the icon that Apollo’s script asks for is empty', async () => {
  expect(await ask(createApp(), '/favicon.ico')).toMatchObject({ status: 200, text: '' });
});
