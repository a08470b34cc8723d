import { rateLimitHeaders } from '../../src/rate-limit/rate-limiter';
import { fc } from '../support/properties';

/** A list of one string with integer parameters, as RFC 9651 (4.2) parses it. */
function parseField(text: string): { readonly item: string; readonly parameters: Readonly<Record<string, number>> } {
  const [, item = '', rest = ''] = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"((?:;[a-z*][a-z0-9_.*-]*=-?[0-9]{1,15})*)$/.exec(text) ?? []; // prettier-ignore
  const pairs = [...rest.matchAll(/;([^=]+)=([^;]+)/g)].map(([, name = '', value]) => [name, Number(value)] as const);
  return { item, parameters: Object.fromEntries(pairs) };
}

describe('rate limit headers (D19)', () => {
  it('are structured fields (RFC 9651) that say the same in both ways', () => {
    const seconds = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(fc.nat(), fc.nat(), seconds, fc.constantFrom('key', 'address'), (limit, remaining, reset, policy) => {
        const headers = rateLimitHeaders({ admitted: true, limit, remaining, resetSeconds: reset }, policy);
        expect([headers['RateLimit-Policy'], headers['RateLimit']].map((text) => parseField(text ?? ''))).toEqual([
          { item: policy, parameters: { q: limit, w: 60 } },
          { item: policy, parameters: { r: remaining, t: reset } },
        ]);
      }),
    );
  });
});
