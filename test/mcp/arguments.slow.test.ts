import Ajv from 'ajv/dist/2020';
import { countAnswers, exchange } from '../support/rest-client';
import { fc } from '../support/properties';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';
import { manifestOf } from './manifest';

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

interface Answer {
  readonly result?: {
    readonly tools?: readonly ListedTool[];
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

let apiKey: string;
let tools: readonly ListedTool[];
const service = useService({
  rateLimit: 1_000_000,
  settings: {
    TRUSTED_DOCUMENTS_FILE: manifestOf({
      titles: 'query Titles($first: Int) { products(first: $first) { nodes { title } } }',
    }),
    TRUSTED_DOCUMENTS_MODE: 'also',
  },
});
beforeAll(async () => {
  const shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  await seedProduct(service.sql, shopId);
  await seedCollection(service.sql, shopId);
  await seedOrder(service.sql, shopId);
  tools = (await ask('tools/list')).result?.tools ?? [];
});

async function ask(method: string, params?: unknown): Promise<Answer> {
  const { body } = await exchange(service.origin, '/mcp', {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return body as Answer;
}

function* nodesOf(schema: Schema, path: string): Generator<readonly [path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* nodesOf(member, `${path}.${name}`);
  if (schema.items !== undefined) yield* nodesOf(schema.items, `${path}[]`);
}

it('descriptions of tools and arguments are whole sentences', () => {
  const texts = tools.flatMap(({ description, inputSchema }) => [
    description,
    ...Object.values(inputSchema.properties ?? {}).flatMap((argument) => argument.description ?? []),
  ]);
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.filter((text) => !/^\S+ .*\.$/.test(text))).toEqual([]);
});

it('every node of every schema has a type, and every text and list of arguments a bound', () => {
  expect(tools).toHaveLength(9);
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const [path, { type }] of [...nodesOf(inputSchema, name), ...nodesOf(outputSchema, name)])
      expect([path, type]).toEqual([path, expect.anything()]);
    for (const [path, schema] of nodesOf(inputSchema, name)) {
      if (schema.type === 'string' && schema.enum === undefined)
        expect([path, schema.maxLength]).toEqual([path, expect.any(Number)]);
      if (schema.type === 'integer')
        expect([path, schema.minimum, schema.maximum]).toEqual([path, expect.any(Number), expect.any(Number)]);
      if (schema.type === 'array')
        expect(schema).toMatchObject({ maxItems: schema.items?.enum?.length, uniqueItems: true });
    }
  }
});

/** What other programs may send, whatever was asked for. */
const anything = fc.oneof(
  fc.jsonValue({ noUnicodeString: false }),
  fc.constantFrom<unknown>(
    { toString: 1 },
    { toJSON: null, length: 1e9 },
    [['id']],
    ['id', 'id'],
    new Array(50_000).fill('id'),
    'x'.repeat(20_000),
    '\u{1f600}'.repeat(8_192),
    '\u0000',
    '\ud800',
    '\u2028',
    -0,
    1e308,
    0.5,
    2 ** 53,
    '5',
    JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)),
    JSON.parse('{"__proto__": {"x": 1}}'),
  ),
);

/** What the schema allows, including edge cases. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer')
    return fc.integer({ min: Number(schema.minimum) - 1, max: Number(schema.maximum) + 1 });
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'array') return fc.array(near(schema.items ?? {}), { maxLength: Number(schema.maxItems) + 1 });
  if (schema.type === 'object') return fc.dictionary(fc.constantFrom('first', 'x'), fc.jsonValue());
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('now', 'UTC', '2026-01-01T00:00:00Z', 'titles', 'Titles'),
  );
}

const argumentsOf = ({ inputSchema: { properties = {} } }: ListedTool) => {
  const own = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      fc.oneof({ weight: 3, arbitrary: near(schema) }, fc.constant(null), anything),
    ]),
  );
  const others = fc.dictionary(fc.constantFrom('toString', 'constructor', 'x', ''), anything, { maxKeys: 1 });
  return fc
    .tuple(fc.record(own, { requiredKeys: [] }), fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, others))
    .map(([known, more]) => ({ ...known, ...more }));
};

const codes = new Set(['BAD_USER_INPUT', 'NOT_FOUND', 'ANSWER_TOO_LARGE', 'RESYNC_REQUIRED']);

it('arguments match the published schema, or an error says so before anything runs', async () => {
  const ajv = new Ajv({ strict: false });
  for (const tool of tools) {
    const isValid = ajv.compile(tool.inputSchema);
    await fc.assert(
      fc.asyncProperty(argumentsOf(tool), async (given) => {
        // As it arrives: JSON has no `undefined`.
        const sent = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
        const present = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
        const before = await countAnswers(service.origin);
        const { result, error } = await ask('tools/call', { name: tool.name, arguments: given });
        expect(error).toBeUndefined();
        const said = result?.isError
          ? (JSON.parse(result.content[0]?.text ?? '') as { error: { code: string; message: string } })
          : undefined;
        if (said !== undefined) expect(codes).toContain(said.error.code);
        expect(said?.error.message.length ?? 0).toBeLessThan(1_000);
        if (isValid(present)) return;
        expect(said?.error).toMatchObject({
          code: 'BAD_USER_INPUT',
          message: expect.stringContaining('expected') as string,
        });
        expect(await countAnswers(service.origin)).toBe(before);
      }),
      { numRuns: 60 },
    );
  }
  expect(service.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
}, 120_000);
