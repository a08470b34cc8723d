import type { Request } from 'express';
import { matchesIfNoneMatch } from '../../src/http/response/send';
import { useService } from '../support/service';
import { createShop } from '../support/shop-fixture';

const requestWith = (ifNoneMatch: string) => ({ headers: { 'if-none-match': ifNoneMatch } }) as Request;

describe('If-None-Match (RFC 9110 13.1.2)', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['*', true],
    [' * ', true],
    ['"b", "a"', true],
    ['"b","a","c"', true],
    ['"b, c", W/"a"', true],
    ['"b"', false],
    ['"aa"', false],
    ['"A"', false],
    ['a', false],
    ['"a', false],
    ['', false],
    ['"b, "a"', false],
    ['**', false],
  ])('%s holds "a": %s', (header, expected) => {
    expect(matchesIfNoneMatch(requestWith(header), '"a"')).toBe(expected);
  });

  it('takes linear time on malicious input', () => {
    expect(matchesIfNoneMatch(requestWith('"'.repeat(16_001)), '"a"')).toBe(false);
  });
});

describe('an entity tag (D7)', () => {
  const service = useService({ rateLimit: 10_000 });

  it('gives 304 with the same headers as 200, but no body and no Content-Type', async () => {
    const { client } = await createShop(service);
    const { headers } = await client.get('/products');
    const answer = await client.get('/products', { 'If-None-Match': `"other", W/${String(headers['etag'])}` });
    expect(answer).toMatchObject({
      status: 304,
      text: '',
      headers: {
        etag: headers['etag'],
        'cache-control': 'private, no-cache, must-revalidate',
        vary: 'Authorization, Accept-Encoding',
      },
    });
    expect(answer.headers).not.toHaveProperty('content-type');
  });

  it('is never on an error, and errors are not stored', async () => {
    const { client } = await createShop(service);
    for (const { headers } of [await client.get('/products?limit=0'), await client.get('/nothing')]) {
      expect(headers).not.toHaveProperty('etag');
      expect(headers['cache-control']).toBe('no-store');
    }
  });
});
