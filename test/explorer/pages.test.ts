import express from 'express';
import request from 'supertest';
import { createExplorerPages } from '../../src/http/endpoints/explorer/explorer-pages';
import { toInlineJson } from '../../src/http/endpoints/explorer/inline-json';

const hostile = '</script><script>alert(1)</script><!-- \u2028 & "\' {{ ${1} }}';
const options = { document: hostile, authorization: `Bearer ${hostile}` };

function createApp(hasExplorer = true) {
  const app = express();
  app.use(createExplorerPages(options, hasExplorer));
  app.use('/graphql', (_request, response) => void response.json({ from: 'graphql' }));
  return app;
}

const chromiumAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test('text inside a script cannot end it, and still means the same', () => {
  const inline = toInlineJson({ hostile });
  expect(inline).not.toMatch(/[<>&\u2028\u2029]/);
  expect(JSON.parse(inline)).toEqual({ hostile });
});

describe('the Sandbox page', () => {
  test('holds nothing of the options but escaped', async () => {
    const { text } = await request(createApp()).get('/graphql').set('Accept', chromiumAccept).expect(200);
    expect(text).not.toContain('alert(1)</script>');
    expect(text).toContain('alert(1)\\u003c/script\\u003e');
    expect(text.match(/<\/?script\b/g)).toHaveLength(4);
  });

  test('carries a policy with a nonce that is new on each answer and on every script', async () => {
    const app = createApp();
    const answers = [
      await request(app).get('/graphql').set('Accept', chromiumAccept),
      await request(app).get('/graphql').set('Accept', chromiumAccept),
    ];
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
    const { headers } = await request(createApp()).get('/graphql').set('Accept', chromiumAccept);
    expect(headers['content-security-policy']?.replace(/nonce-[^']+/g, 'nonce-N')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'nonce-N'; style-src 'nonce-N'; img-src data:; connect-src 'self'; frame-src https://sandbox.embed.apollographql.com",
    );
  });

  test.each([true, false])('points at the explorer only where it is served: %s', async (hasExplorer) => {
    const { text } = await request(createApp(hasExplorer)).get('/graphql').set('Accept', chromiumAccept).expect(200);
    const targets = [...text.matchAll(/href=\\?"(\/[^"\\]*)/g)].map(([, target = '']) => target);
    expect(targets).toEqual(hasExplorer ? ['/explorer'] : []);
    expect(text.includes('/explorer')).toBe(hasExplorer);
  });
});

describe('GraphQL requests to /graphql go past the Sandbox page', () => {
  test.each<[what: string, method: 'get' | 'post', path: string, accept: string]>([
    ['curl', 'get', '/graphql', '*/*'],
    ['JSON', 'get', '/graphql', 'application/json'],
    ['GraphQL over HTTP', 'get', '/graphql', 'application/graphql-response+json, application/json;q=0.9'],
    ['JSON rather than HTML', 'get', '/graphql', 'application/json, text/html;q=0.5'],
    ['a query in the address', 'get', '/graphql?query={__typename}', chromiumAccept],
    ['POST', 'post', '/graphql', chromiumAccept],
  ])('%s', async (_, method, path, accept) => {
    const { text } = await request(createApp())[method](path).set('Accept', accept);
    expect(text).toBe('{"from":"graphql"}');
  });
});

test('the icon that Apollo’s script asks for is empty', () => request(createApp()).get('/favicon.ico').expect(204));
