import type { AddressInfo } from 'node:net';
import express from 'express';
import { createExplorerPages } from '../../src/http/endpoints/explorer/explorer';
import { toInlineJson } from '../../src/http/endpoints/shell/render-shell';

const hostile = '</script><script>alert(1)</script><!-- \u2028 & "\' {{ ${1} }}';
const options = { document: hostile, authorization: `Bearer ${hostile}` };

function createApp(hasExplorer = true) {
  const app = express();
  app.use(createExplorerPages(options, hasExplorer));
  app.use('/graphql', (_request, response) => void response.json({ from: 'graphql' }));
  return app;
}

const chromiumAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

/** What the app answers to one request. */
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

test('text inside a script cannot end it, and still means the same', () => {
  const inline = toInlineJson({ hostile });
  expect(inline).not.toMatch(/[<>&\u2028\u2029]/);
  expect(JSON.parse(inline)).toEqual({ hostile });
});

describe('the Sandbox page', () => {
  test('holds nothing of the options but escaped', async () => {
    const { status, text } = await ask(createApp(), '/graphql');
    expect(status).toBe(200);
    expect(text).not.toContain('alert(1)</script>');
    expect(text).toContain('alert(1)\\u003c/script\\u003e');
    expect(text.match(/<\/?script\b/g)).toHaveLength(4);
  });

  test('carries a policy with a nonce that is new on each answer and on every script', async () => {
    const app = createApp();
    const answers = [await ask(app, '/graphql'), await ask(app, '/graphql')];
    const nonces = answers.map(({ headers, text }) => {
      const [, nonce] = /script-src 'nonce-([^']+)'(?:;|$)/.exec(headers['content-security-policy'] ?? '') ?? [];
      expect(text.split(`<script nonce="${nonce}"`)).toHaveLength(3);
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(answers[0]?.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  test('allows Apollo’s frame and our own endpoint, and no other address', async () => {
    const { headers } = await ask(createApp(), '/graphql');
    expect(headers['content-security-policy']?.replace(/nonce-[^']+/g, 'nonce-N')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'nonce-N'; style-src 'nonce-N'; img-src data:; connect-src 'self'; frame-src https://sandbox.embed.apollographql.com",
    );
  });

  test.each([true, false])('points at the explorer only where it is served: %s', async (hasExplorer) => {
    const { status, text } = await ask(createApp(hasExplorer), '/graphql');
    expect(status).toBe(200);
    const targets = [...text.matchAll(/href=\\?"(\/[^"\\]*)/g)].map(([, target = '']) => target);
    expect(targets).toEqual(hasExplorer ? ['/explorer'] : []);
    expect(text.includes('/explorer')).toBe(hasExplorer);
  });
});

describe('GraphQL requests to /graphql go past the Sandbox page', () => {
  test.each<[what: string, method: string, path: string, accept: string]>([
    ['curl', 'GET', '/graphql', '*/*'],
    ['JSON', 'GET', '/graphql', 'application/json'],
    ['GraphQL over HTTP', 'GET', '/graphql', 'application/graphql-response+json, application/json;q=0.9'],
    ['JSON rather than HTML', 'GET', '/graphql', 'application/json, text/html;q=0.5'],
    ['a query in the address', 'GET', '/graphql?query={__typename}', chromiumAccept],
    ['POST', 'POST', '/graphql', chromiumAccept],
  ])('%s', async (_, method, path, accept) => {
    const { text } = await ask(createApp(), path, { method, accept });
    expect(text).toBe('{"from":"graphql"}');
  });
});

test('the icon that Apollo’s script asks for is empty', async () => {
  expect(await ask(createApp(), '/favicon.ico')).toMatchObject({ status: 204, text: '' });
});
