import { escapeHtml, toInlineJson } from '../../src/http/endpoints/shell/render-shell';
import { hostileUnitTexts as hostile, toFieldValue } from '../support/hostile-text';
import { fc } from '../support/properties';
import { exchange } from '../support/rest-client';
import { useService } from '../support/service';

/** Percent-encoded UTF-8, and lone surrogates as some encoders write them. */
const encode = (text: string): string =>
  [...text].map((unit) => (/^[\ud800-\udfff]$/.test(unit) ? '%ED%A0%80' : encodeURIComponent(unit))).join('');

/** Headers that the service reads or that a proxy sets, and that do not choose the page. */
const headerNames = [
  'X-Request-Id',
  'User-Agent',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'Traceparent',
  'Tracestate',
  'Apollo-Require-Preflight',
  'Apollographql-Client-Name',
];

// fuzz.slow.test.ts covers response headers.
describe('text of callers in pages', () => {
  const service = useService({ rateLimit: 1_000_000, settings: { EXPLORER: 'on' } });

  it('no page contains text of the caller', async () => {
    const pages = ['/', '/reference', '/reference.md', '/llms.txt', '/dashboard', '/explorer', '/graphql', '/nothing'];
    const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
      const { text } = await exchange(service.origin, path, { headers: { Accept: 'text/html', ...headers } });
      return text.replaceAll(/nonce="[^"]*"/g, '').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '');
    };
    const calm = new Map<string, string>();
    for (const page of pages) calm.set(page, await get(page));
    expect([...calm].filter(([, text]) => text.includes('<!doctype html>')).map(([page]) => page)).toEqual([
      '/',
      '/reference',
      '/dashboard',
      '/explorer',
      '/graphql',
      '/nothing',
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pages),
        hostile,
        fc.constantFrom(...headerNames),
        async (page, text, name) => {
          const query = page === '/graphql' ? '' : `?${encode(text)}=${encode(text)}`;
          expect(await get(page + query, { [name]: toFieldValue(text) })).toBe(calm.get(page));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('values of settings are text in the HTML and scripts of pages', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = escapeHtml(text);
        expect(html).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/);
        expect(html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')).toBe(text); // prettier-ignore
        const json = toInlineJson({ [text]: text });
        expect(json).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});
