import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parse } from 'graphql';
import { FairCache } from '../../src/common/fair-cache';
import { createClientDocuments } from '../../src/graph/graphql-server';
import { createOperationLimits } from '../../src/graph/limits/limits';
import { createSchema } from '../../src/graph/schema';

const schema = createSchema();

/** About ten kilobytes each, all different. */
const documentOf = (index: number) =>
  `# ${String(index).repeat(2_000).slice(0, 9_000)}\n{ products { nodes { ${'id title handle '.repeat(10)} } } }`;

function createDocuments() {
  const documents = createClientDocuments(createOperationLimits());
  const { documentStore } = documents.serverOptions;
  if (!documentStore) throw new Error('There is no store.');
  /** As Apollo Server does. */
  async function use(owner: string, source: string) {
    const known = await documentStore?.get(source);
    const document = known ?? parse(source);
    if (known === undefined) await documentStore?.set(source, document);
    const result = documents.check({ schema, document, owner });
    expect(result.errors).toEqual([]);
    return { isKnown: known !== undefined, document: result.document };
  }
  return { documents, use };
}

describe('documents of clients', () => {
  it('are cached from the second use on, as one object with its locations', async () => {
    const { use } = createDocuments();
    const source = documentOf(1);
    const uses = [await use('shop', source), await use('shop', source), await use('shop', source)];
    expect(uses.map(({ isKnown }) => isKnown)).toEqual([false, false, true]);
    expect(uses[2]?.document).toBe(uses[1]?.document);
    expect(uses[2]?.document.loc?.source.body).toBe(source);
  });

  it('of many shops share one entry if they are equal', async () => {
    const { documents, use } = createDocuments();
    for (const _time of [1, 2]) await use('shop 0', documentOf(1));
    const bytes = documents.countBytes();
    for (let shop = 1; shop <= 100; shop += 1) expect((await use(`shop ${shop}`, documentOf(1))).isKnown).toBe(true);
    expect(documents.countBytes()).toBeLessThan(bytes + 100 * 1_000);
  });
});

it('a process with a heap of 128 MB survives 400 distinct documents of ten kilobytes, of which 150 would fill it, each sent three times', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--max-old-space-size=128', '--expose-gc'],
      ...['--require', join(__dirname, '../support/typescript-hook.cjs')],
      join(__dirname, 'processes/send-documents.ts'),
    ],
    { encoding: 'utf8' },
  );
  expect({ status, stderr: stderr.slice(-500) }).toMatchObject({ status: 0 });
  const { grownBytes, boundBytes } = JSON.parse(stdout.split('\n').at(-2) ?? '') as Record<string, number>;
  expect(grownBytes).toBeLessThan(boundBytes as number);
});

it('a fair cache forgets a value only when no owner holds it anymore', () => {
  const cache = new FairCache<string>({ totalSize: 100, sizePerOwner: 50, overhead: 1, isCommon: true });
  cache.set('a', 'key', 'value', 20);
  cache.get('b', 'key');
  cache.clear('a');
  expect(cache.get('b', 'key')).toBe('value');
  cache.clear('b');
  expect([cache.peek('key'), cache.size]).toEqual([undefined, 0]);
});
