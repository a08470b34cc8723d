import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import type { StubRequest } from '../../../test/federation/support/stub-server';
import { parse } from '../../../test/support/check-answer';
import type { Attack, Scene } from '../attack';
import type { ShotAnswer } from '../attacker';
import { answerHonestly, honestNote } from '../hostile-subgraph';
import type { Random } from '../../../test/support/random';

/** What the clients of the service request: fields of the catalog, and fields of the subgraph with them. */
const document = /* GraphQL */ `
  query ($after: String) {
    products(first: 10, after: $after) {
      nodes { id title minPrice __typename score label notes { text stars marks author { name friend { name } } } }
    }
    newestNotes { text stars marks author { name } }
  }
`; // prettier-ignore

type Reply = (response: ServerResponse, request: StubRequest) => void;

interface Hostile {
  readonly name: string;
  /** What clients must get in addition to the catalog's own fields. */
  readonly expects: 'an error' | 'the data' | 'either';
  reply(random: Random, isShort: boolean): Reply;
}

const text =
  (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

/** The honest answer, modified. */
const changed =
  (change: (data: Record<string, unknown>, request: StubRequest) => unknown): Reply =>
  (response, request) =>
    text(JSON.stringify(change(answerHonestly(request), request)))(response, request);

const entitiesAs = (make: (entities: readonly Record<string, unknown>[]) => unknown): Reply =>
  changed((data) => ({
    data: { ...data, ...('_entities' in data && { _entities: make(data['_entities'] as Record<string, unknown>[]) }) },
  }));

/** Every entity with these members, replacing or extending its own. */
const withMembers = (members: Readonly<Record<string, unknown>>): Reply =>
  entitiesAs((entities) => entities.map((entity) => ({ ...entity, ...members })));

const nest = (depth: number, open: string, close: string): string => open.repeat(depth) + 'null' + close.repeat(depth);

const wrongValues: readonly unknown[] = [{}, [], [[1]], 'abc', true, 1.5, 1e300, { score: 1 }, '9'.repeat(5_000)];

/** Answers that do not show whether the subgraph is up. */
const malformedAnswers: readonly Hostile[] = [
  { name: 'a million empty errors', expects: 'an error', reply: (random, isShort) => text(`{"data":null,"errors":[${'{},'.repeat(random.integer(100_000, isShort ? 300_000 : 1_000_000))}{}]}`) },
  {
    name: 'errors with paths by the ten thousand',
    expects: 'an error',
    reply: (random, isShort) =>
      changed((data) => ({
        data: { ...data, ...('_entities' in data && { _entities: (data['_entities'] as unknown[]).map(() => ({ __typename: 'Product', score: null, label: null, notes: null })) }) },
        errors: random.list(isShort ? 10_000 : 50_000, (i) => ({ message: random.word(8), path: ['_entities', i % 10, random.pick(['score', 'label', 'notes', 'nothing'])] })),
      })),
  },
  { name: 'errors that are no errors', expects: 'an error', reply: (random) => changed(() => ({ data: null, errors: random.pick<unknown>([{}, 'x', 1, true, [null], [1], [[]], [{ message: {} }], [{ message: 'a', path: {} }], [{ message: 'a', path: [[]] }], [{ message: 'a', path: Array(50_000).fill(0) }], []]) })) },
  { name: 'errors: null beside data', expects: 'the data', reply: () => changed((data) => ({ data, errors: null })) },
  { name: 'errors whose texts are long', expects: 'an error', reply: (random) => changed(() => ({ data: null, errors: random.list(100, () => ({ message: random.word(1).repeat(100_000), extensions: { code: random.word(1).repeat(1_000), more: random.word(1).repeat(10_000) } })) })) },
  {
    name: 'a status for the client',
    expects: 'an error',
    reply: (random) =>
      changed((data) => ({
        data,
        errors: [{ message: 'a', extensions: { code: 'A', http: { status: random.pick([401, 418, 204, 101, 99999, -1, 'a', null]), headers: { 'x-evil': '1', location: 'http://127.0.0.1/' } }, stacktrace: ['a'], service: 'catalog' } }],
      })),
  },
  { name: '_entities of another shape', expects: 'an error', reply: (random) => entitiesAs((entities) => random.pick<unknown>([{}, 'x', 1, null, [], [1, 2, 3], entities.slice(1), entities.map(() => 'x'), entities.map(() => []), entities[0]])) },
  { name: '_entities too long', expects: 'either', reply: () => entitiesAs((entities) => Array.from({ length: 100_000 }, (_, i) => entities[i % entities.length])) },
  { name: 'scalars of another shape', expects: 'an error', reply: (random) => withMembers({ score: random.pick<unknown>([...wrongValues, 'abc']), label: random.pick<unknown>([{}, [], [[1]]]) }) },
  { name: 'objects and lists of another shape', expects: 'an error', reply: (random) => withMembers({ notes: random.pick<unknown>([{}, 'x', 1, [1], ['x'], [[honestNote]], [{ ...honestNote, author: 'Zoë' }], [{ ...honestNote, author: [] }], [{ ...honestNote, marks: {} }]]) }) },
  { name: 'null where there must be none', expects: 'an error', reply: (random) => withMembers({ notes: [{ ...honestNote, ...random.pick([{ marks: null }, { marks: [null] }, { marks: ['a', null] }, { author: { name: null } }]) }] }) },
  {
    name: 'members that nobody asked for',
    expects: 'either',
    reply: (random) =>
      withMembers({ id: random.word(8), title: 'Stolen', minPrice: '0.00', handle: 'stolen', variants: [], __proto__: { a: 1 }, constructor: 1, ...(random.chance(0.5) && { __typename: random.pick(['Note', 'Order', 'Nobody', '', 1]) }) }),
  },
  { name: 'lists without an end', expects: 'either', reply: (random, isShort) => withMembers({ notes: Array(random.integer(1_000, isShort ? 10_000 : 20_000)).fill(random.pick<unknown>([honestNote, null, {}, []])) }) },
  { name: 'deep values', expects: 'either', reply: (random) => text(`{"data":{"_entities":[{"__typename":"Product","score":${random.pick([nest(random.integer(500, 100_000), '[', ']'), nest(random.integer(500, 100_000), '{"a":', '}')])}}],"newestNotes":[]}}`) },
  { name: 'deep friends', expects: 'either', reply: (random) => { const depth = random.integer(500, 50_000); return text(`{"data":{"_entities":[{"__typename":"Product","notes":[{"marks":[],"author":${'{"name":"a","friend":'.repeat(depth)}null${'}'.repeat(depth)}}]}],"newestNotes":null}}`); } },
  { name: 'data of another shape', expects: 'an error', reply: (random) => text(JSON.stringify(random.pick<unknown>([{ data: [] }, { data: 'x' }, { data: 1 }, {}, [], null, 'x', { data: null }, { data: { _entities: null, newestNotes: null }, errors: {} }]))) },
  { name: 'members by the hundred thousand', expects: 'either', reply: (random) => text(`{"data":{"_entities":[],"newestNotes":[],${random.list(50_000, (i) => `"${random.word(4)}${i}":${i}`).join()}}}`) },
]; // prettier-ignore

/** A hundred times what is sent, and more. */
const bomb = Buffer.from(`{"data":{"newestNotes":"${' '.repeat(100_000_000)}"}}`);
const compressed = { gzip: gzipSync(bomb), br: brotliCompressSync(bomb, { params: { 1: 1 } }) };

/** Answers that cause harm during transfer. */
const hostileTransports: readonly Hostile[] = [
  { name: 'a compressed bomb', expects: 'an error', reply: (random) => (response) => { const encoding = random.pick(['gzip', 'br'] as const); response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(compressed[encoding]); } },
  { name: 'layers of compression', expects: 'an error', reply: () => (response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': Array(5).fill('gzip').join(', ') }).end(compressed.gzip) },
  { name: 'a body without an end', expects: 'an error', reply: () => (response) => { response.writeHead(200, { 'content-type': 'application/json' }); const block = Buffer.alloc(262_144, ' '); const go = () => { while (!response.destroyed && response.write(block)); }; response.on('drain', go); go(); } },
  { name: 'a byte at a time', expects: 'an error', reply: () => (response) => { response.writeHead(200, { 'content-type': 'application/json' }); const timer = setInterval(() => response.write(' '), 50); response.on('close', () => clearInterval(timer)); } },
  { name: 'headers without an end', expects: 'an error', reply: (random) => (response) => { const { socket } = response; socket?.write('HTTP/1.1 200 OK\r\n'); const timer = setInterval(() => socket?.write(`X-${random.word(5)}: ${'a'.repeat(1_000)}\r\n`), 5); socket?.on('close', () => clearInterval(timer)); } },
  { name: 'no HTTP', expects: 'an error', reply: (random) => ({ socket }) => void socket?.end(random.pick(['\0'.repeat(1_000), 'HTTP/1.1 200\r\n\r\n{', 'HTTP/9.9 200 OK\r\n\r\n', '220 ready\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n{"a"}'])) },
  { name: 'a reset amid the body', expects: 'an error', reply: () => (response) => { response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }); response.write('{"data":{'); setTimeout(() => response.socket?.resetAndDestroy(), 20); } },
  { name: 'other statuses', expects: 'an error', reply: (random) => text(random.pick(['<html>', '', '{}', 'null']), random.pick([200, 204, 205, 301, 302, 401, 403, 404, 418, 429, 500, 503, 599]), { location: 'http://127.0.0.1:1/', 'retry-after': '99999', 'set-cookie': 'a=b' }) },
  { name: 'silence', expects: 'an error', reply: () => () => undefined },
]; // prettier-ignore

interface Answer {
  readonly data?: { readonly products?: { readonly nodes?: readonly Record<string, unknown>[] } | null } | null;
  readonly errors?: readonly { readonly message?: unknown; readonly extensions?: Readonly<Record<string, unknown>> }[];
}

/** The catalog's answer for its own fields, requested without the subgraph's. */
async function readCatalog({ attacker }: Scene, apiKey: string): Promise<readonly Record<string, unknown>[]> {
  const { text: body } = await attacker.graphql('{ products(first: 10) { nodes { id title minPrice __typename } } }', {
    apiKey,
  });
  const nodes = (parse(body) as Answer).data?.products?.nodes ?? [];
  // Rows of imports that were rolled back may make the first read too late.
  if (nodes.length === 0) throw new Error(`no catalog to compare with: ${body.slice(0, 200)}`);
  return nodes;
}

/**
 * The operation makes two requests to the subgraph; of each answer a hundred errors are kept, and the number of the
 * rest.
 */
const keptErrors = 2 * 101;

/** Errors that are not listed may be of several subgraphs. */
const countsTheRest = ({ message }: { readonly message?: unknown }): boolean =>
  typeof message === 'string' && /^There were \d+ more errors/.test(message);

/** The catalog's fields are unchanged, the subgraph's are right or null with an error, and the status is ours. */
function checkAnswer(
  { fail }: Scene,
  { name, expects }: Hostile,
  catalog: readonly Record<string, unknown>[],
  answer: ShotAnswer,
  wasAsked: boolean,
): void {
  if (answer.status === 503) return;
  if (answer.status !== 200) return fail(`${answer.status || 'no answer'} because of a subgraph`, name);
  if (answer.headers['x-evil'] !== undefined || answer.headers['set-cookie'] !== undefined)
    fail('headers of a subgraph reach clients', name);
  if (answer.bytes > 1_000_000) fail('more than 1 MB is passed on', `${name}: ${answer.bytes}`);
  const { data, errors = [] } = (parse(answer.text) ?? {}) as Answer;
  const nodes = data?.products?.nodes ?? [];
  const ours = nodes.map(({ id, title, minPrice, __typename }) => ({ id, title, minPrice, __typename }));
  // A page of large products, which hostile imports leave behind, is shortened by what has room (docs/decisions.md 41).
  if (ours.length === 0 || !isDeepStrictEqual(ours, catalog.slice(0, ours.length)))
    fail("the catalog's own fields are lost or changed", name);
  const isReported = errors.length > 0;
  if (expects === 'an error' && !isReported) fail('nothing is reported', name);
  if (errors.length > keptErrors) fail(`more than ${keptErrors} errors are passed on`, `${name}: ${errors.length}`);
  const nameless = errors.find((error) => error.extensions?.['service'] !== 'notes' && !countsTheRest(error));
  if (nameless !== undefined)
    fail('an error does not name the subgraph', `${name}: ${JSON.stringify(nameless).slice(0, 200)}`);
  if (expects === 'the data' && wasAsked && (isReported || nodes.some(({ score }) => score !== 7)))
    fail('data is thrown away', name);
  const isWrong = nodes.some(
    ({ score, label, notes }) =>
      !(score == null || Number.isInteger(score)) ||
      !(label == null || typeof label === 'string') ||
      !(notes == null || Array.isArray(notes)),
  );
  if (isWrong) fail('a value of the wrong shape is passed on', name);
}

/** Waits until the subgraph has joined: its fields exist. */
export async function untilJoined({ attacker, fail }: Pick<Scene, 'attacker' | 'fail'>, apiKey: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { text: body } = await attacker.graphql('{ newestNotes { text } }', { apiKey });
    if (body.includes(honestNote.text)) return;
    await delay(100);
  }
  fail('the subgraph never joined the graph');
}

const sendAnswers = (hostiles: readonly Hostile[]) =>
  async function run(scene: Scene): Promise<void> {
    const { attacker, shop, random, isShort, goesOn } = scene;
    const subgraph = scene.subgraph();
    const { apiKey } = await shop.createKey();
    await untilJoined(scene, apiKey);
    const catalog = await readCatalog(scene, apiKey);
    const attempt = async (hostile: Hostile) => {
      subgraph.answer = hostile.reply(random, isShort);
      const before = subgraph.asked.data;
      const answer = await attacker.graphql(document, { apiKey, request: { variables: {} } });
      const wasAsked = subgraph.asked.data > before;
      checkAnswer(scene, hostile, catalog, answer, wasAsked);
      // After repeated failures the gateway pauses requests to it for a while.
      if (!wasAsked) await delay(500);
    };
    // Each at least once, however long it takes.
    for (const hostile of hostiles) if (scene.service.child.exitCode === null) await attempt(hostile);
    while (goesOn()) await attempt(random.pick(hostiles));
    const late = attacker.statuses.get('503') ?? 0;
    // On a busy machine the time of a request may be over before that of the subgraph.
    if (late > Math.max(1, attacker.cost.requests / 10)) scene.fail(`503 because of a subgraph, ${late} times`);
    scene.note(`the subgraph was asked ${subgraph.asked.data} times`);
    subgraph.answer = undefined;
  };

export const subgraphAnswers: Attack = {
  name: 'subgraph-answers',
  what: 'a subgraph that answers with a million errors, lists of unbounded length, deep values, wrong shapes, statuses and members of others',
  target: 'federated',
  seconds: { full: 20, short: 6 },
  run: sendAnswers(malformedAnswers),
};

export const subgraphTransport: Attack = {
  name: 'subgraph-transport',
  what: 'a subgraph that sends bombs, unbounded bodies and headers, a byte at a time, resets, or nothing',
  target: 'federated',
  seconds: { full: 20, short: 6 },
  run: sendAnswers(hostileTransports),
};
