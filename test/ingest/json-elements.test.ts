import { ElementScanner, type JsonElement, memberPaths, readJsonElements } from '../../src/ingest/source/json-elements';
import { maxLineBytes } from '../../src/ingest/source/read-blocks';
import { SourceFile } from '../../src/ingest/source/source-file';
import { fc } from '../support/properties';

/** The elements of a text that arrives in chunks. */
function scan(pieces: readonly string[]): JsonElement[] {
  const scanner = new ElementScanner('file', new Set(['products', 'product']));
  let line = 1;
  const found = pieces.flatMap((piece) => {
    const elements = [...scanner.push(piece, line)];
    line += piece.split('\n').length - 1;
    return elements;
  });
  scanner.finish();
  return found;
}

async function read(bytes: Buffer, chunkSize: number): Promise<JsonElement[]> {
  async function* standardInput(): AsyncGenerator<Buffer, void, void> {
    for (let at = 0; at < bytes.length; at += chunkSize)
      yield await Promise.resolve(bytes.subarray(at, at + chunkSize));
  }
  const source = await SourceFile.open('-', { standardInput });
  try {
    const found: JsonElement[] = [];
    for await (const element of readJsonElements(source, ['products', 'product'])) found.push(element);
    return found;
  } finally {
    await source.close();
  }
}

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', 'é', '🏺', 'products'), maxLength: 8 }); // prettier-ignore
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.constantFrom(null, true, [], {}),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const elements = fc.array(fc.record({ id: fc.integer(), name: text, more: value }), { maxLength: 5 });
const wrappers = ['array', 'member', 'lines', 'pages', 'objects'] as const;

function write(objects: readonly object[], wrapper: (typeof wrappers)[number], indent: number, others: object): string {
  const toJson = (whole: unknown): string => JSON.stringify(whole, null, indent);
  switch (wrapper) {
    case 'array':
      return toJson(objects);
    case 'member':
      return toJson({ before: others, products: objects, behind: others, last: 'products' });
    case 'pages':
      return [toJson({ products: objects.slice(0, 2) }), toJson({ next: 1, products: objects.slice(2) })].join('\n');
    case 'lines':
      return objects.map(toJson).join('\n');
    case 'objects':
      return objects.map((product) => toJson({ product, others })).join(' ');
  }
}

describe('the objects of a JSON file', () => {
  it.each(wrappers)('are iterated one by one, in pieces that end anywhere, in %s', (wrapper) => {
    const cuts = fc.array(fc.nat(300), { maxLength: 12 });
    fc.assert(
      fc.property(elements, value, fc.constantFrom(0, 2), cuts, (objects, other, indent, lengths) => {
        const whole = write(objects, wrapper, indent, { other });
        const pieces = lengths.reduce<string[]>(
          (parts, length) => {
            const rest = parts.pop() ?? '';
            return [...parts, rest.slice(0, length), rest.slice(length)];
          },
          [whole],
        );
        const found = scan(pieces);
        expect(found.map((element) => JSON.parse(element.text) as unknown)).toEqual(objects);
        const starts = whole.split('\n');
        for (const { line } of found) expect(starts[line - 1]).toContain('{');
        expect(scan([...whole])).toEqual(found);
      }),
    );
  });

  it('have their line and path', () => {
    expect(
      scan(['{"n":1}\n{"product":{"n":2}}\n\n[{"n":3},\n{"n":4}]{"products":[],"x":{},"product":{"n":5}}']),
    ).toEqual([
      { line: 1, text: '{"n":1}', path: '' },
      { line: 2, text: '{"n":2}', path: 'product' },
      { line: 4, text: '{"n":3}', path: '[0]' },
      { line: 5, text: '{"n":4}', path: '[1]' },
      { line: 5, text: '{"n":5}', path: 'product' },
    ]);
  });

  it('are found in one long line of a file, which is passed on in pieces', async () => {
    const objects = Array.from({ length: 12_000 }, (_, id) => ({ id, name: 'Krüge 🏺, "{[\\'.repeat(2 + (id % 7)) }));
    for (const whole of [objects, { products: objects }]) {
      const bytes = Buffer.from(JSON.stringify(whole));
      for (const chunkSize of [4093, 65_536]) {
        const found = await read(bytes, chunkSize);
        expect(found.map((element) => JSON.parse(element.text) as unknown)).toEqual(objects);
        expect(found.at(-1)).toMatchObject({ line: 1, path: `${Array.isArray(whole) ? '' : 'products'}[11999]` });
      }
    }
  });

  it('are found in a line that is longer than the limit of lines', async () => {
    const object = { text: 'x, '.repeat(100_000) };
    const objects = Array<object>(80).fill(object);
    const bytes = Buffer.from(JSON.stringify({ count: 80, products: objects }));
    expect(bytes.length).toBeGreaterThan(maxLineBytes);
    const found = await read(bytes, 65_536);
    expect(found).toHaveLength(80);
    expect(new Set(found.map((element) => element.text))).toEqual(new Set([JSON.stringify(object)]));
  });

  it.each([
    ['a number', '[{"a":1},\n 2]', 'file, line 2, [1]: expected a JSON object'],
    ['a comma too many', '{"products":[{"a":1},]}', 'file, line 1, products[1]: expected a JSON object'],
    ['a comma too few', '[{"a":1}\n{"b":1}]', 'file, line 2, [0]: expected a comma or the end of the array'],
    ['text outside', '{"a":1}\nx', 'file, line 2: expected a JSON object or an array of them'],
    ['a closing bracket', '[]\n]', 'file, line 2: expected a JSON object or an array of them'],
    ['the end of an array', '[{"a":1},{"b":1}\n', 'file, line 2: the file ends in the middle of its JSON: export or download it again'],
    ['the end of a string', '{"a":"\\', 'file, line 1: the file ends in the middle of its JSON: export or download it again'],
    ['an object that never ends', `{"products":[{"a":1},\n{"a":"${'x'.repeat(maxLineBytes)}`, `file, line 2, products[1]: the object that starts here is longer than ${maxLineBytes} bytes`],
    ['an object that is too long', `[{"a":"${'é'.repeat(maxLineBytes / 2)}"}]`, `file, line 1, [0]: the object that starts here is longer than ${maxLineBytes} bytes`],
  ])('end at %s', (_, content, message) => {
    expect(() => scan([content])).toThrow(message);
  }); // prettier-ignore
});

describe('the members of a beginning', () => {
  it.each([
    ['{"products": [{"id":1,"variants":[{"price":"1"}], "image": {"src":', ['products', 'products[].id', 'products[].variants', 'products[].variants[].price', 'products[].image', 'products[].image.src']],
    ['[{"id":1},{"a\\"b":{"c":[[{"d":1}]]}},{"e":"{\\"f\\":1', ['[].id', '[].a\\"b', '[].a\\"b.c', '[].e']],
    ['{"id":1}\n{"__parentId":"x"}', ['id', '__parentId']],
    ['[]]}{"a":1}:', ['a']],
  ])('of %s', (beginning, paths) => {
    expect([...memberPaths(beginning)]).toEqual(paths);
  }); // prettier-ignore
});
