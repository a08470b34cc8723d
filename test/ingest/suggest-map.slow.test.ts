import { ImportError } from '../../src/ingest/values/import-error';
import {
  collectionWords,
  optionWords,
  orderWords,
  productWords,
  variantWords,
} from '../../src/ingest/maps/column-words';
import { readMap } from '../../src/ingest/maps/read-map';
import { suggestMap } from '../../src/ingest/suggest-map';
import { fc } from '../support/properties';
import { useImportHarness } from './import-harness';

const harness = useImportHarness();

describe('a suggested map', () => {
  it('is a valid map, whatever the columns and cells are', async () => {
    const known = [productWords, variantWords, orderWords, collectionWords, { options: optionWords }].flatMap((words) =>
      Object.values(words).flatMap((names) => names.split(', ')),
    );
    const name = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...known) },
      fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
      fc.tuple(fc.string({ minLength: 1, maxLength: 300 }), fc.constantFrom(...known)).map((words) => words.join(' ')),
      fc.constantFrom('true', 'null', '~', '- a', '{n}', '*x', '&y', '!z', '#', 'a: b', '%', '@', '`', "it's", '"', '0x1', '1e3', '.inf', 'option1 value'),
    );
    const cell = fc.oneof(
      fc.constantFrom('', '1', '1,50', '1.234,50 €', 'EUR', 'active', 'ja', '31/12/2025', '2025-01-31', 'a > b', 'a|b', 'x@y.example', 'x: y', '#'),
      fc.string({ maxLength: 8 }),
    );
    const quoted = (text: string): string => `"${text.replaceAll('"', '""').replaceAll(/[\0\r\n]/g, ' ')}"`;
    const table = fc
      .tuple(fc.array(name, { minLength: 2, maxLength: 12 }), fc.array(fc.array(cell, { minLength: 12, maxLength: 12 }), { maxLength: 6 }))
      .map(([names, rows]) => [names, ...rows].map((cells) => names.map((_, at) => quoted(cells[at] ?? '')).join(',')).join('\n'));
    const outcomes = { maps: 0, refusals: 0 };
    await fc.assert(
      fc.asyncProperty(table, async (content) => {
        let map: string;
        try {
          map = await suggestMap(await harness.write(content), {});
        } catch (error) {
          expect(error).toBeInstanceOf(ImportError);
          outcomes.refusals += 1;
          return;
        }
        outcomes.maps += 1;
        expect(map).not.toContain('x@y.example');
        readMap(map, 'suggested');
        const options = [...map.matchAll(/^ +- name: (.+)$/gm)].map(([, option]) => option);
        expect(new Set(options).size).toBe(options.length);
      }),
      { numRuns: 500 },
    );
    expect(outcomes.maps).toBeGreaterThan(50);
  }); // prettier-ignore
});
