import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { operations } from '../../rest/operations';
import type { Terminal } from '../docs/terminal';
import { openTerminal } from '../docs/terminal';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

const run = promisify(execFile);

/** The responses that the reference shows next to its queries. `GOLDEN=write` writes those of the demo shop. */
const answersFile = join(__dirname, '../../src/http/endpoints/graphql-reference/examples.json');
const isWriting = process.env['GOLDEN'] === 'write';

interface Block {
  readonly language: string;
  readonly text: string;
}

const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = '', text = '']) => ({ language, text }));

/** The expected output of the commands: the last line, and what it contains. */
const expectations: readonly (readonly [words: RegExp, check: (output: string) => void])[] = [
  [/^TOKEN=/m, (output) => expectPage(output)],
  [/If-None-Match/, (output) => expect(output.trim()).toBe('304')],
  [/\^ratelimit-/, (output) => expect(output.match(/^RateLimit-\w+: /gim)).toHaveLength(4)],
  [/\/mcp'/, (output) => expect(output).toContain('"list_products"')],
  [/\/graphql'/, (output) => expect(JSON.parse(output)).toEqual({ data: expect.any(Object) as object })],
  [/\/v1\/(products\/|shop)/, (output) => expect(JSON.parse(output)).toEqual({ data: expect.any(Object) as object })],
  [/\/v1\//, (output) => expectPage(output)],
];

function expectPage(output: string): void {
  expect((JSON.parse(output) as { data: unknown[] }).data.length).toBeGreaterThan(0);
}

const decode = (html: string): string =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'); // prettier-ignore

/** Members by name at every depth, regardless of values. A list's length counts as one. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return typeof value[0] === 'object' ? [shapeOf(value[0])] : [];
  if (typeof value !== 'object' || value === null) return '';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

const firstObject = (body: unknown): unknown => {
  const { data } = body as { data: unknown };
  return shapeOf(Array.isArray(data) ? data[0] : data);
};

describe('every example of the reference', () => {
  let demo: DemoService;
  let texts: Readonly<Record<string, Block[]>>;
  let terminal: Terminal;
  const ran = new Set<Block>();

  beforeAll(async () => {
    demo = await startDemoService();
    const read = async (path: string) => blocksOf((await exchange(demo.origin, path, {})).text);
    texts = { '/reference.md': await read('/reference.md'), '/llms.txt': await read('/llms.txt') };
    terminal = openTerminal({ directory: '/', environment: { ...process.env, KEY: demo.apiKey } });
  });
  afterAll(async () => {
    await terminal?.close();
    await demo?.close();
  });

  const ask = async <Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> => {
    const { data, errors } = await askGraphql<Data>(demo.origin, demo.apiKey, query, variables);
    expect([query, errors]).toEqual([query, undefined]);
    return data;
  };

  it.each(['/reference.md', '/llms.txt'])('in a shell, in the order of %s', async (path) => {
    const commands = texts[path]?.filter(({ language }) => language === 'sh') ?? [];
    expect(commands.length).toBeGreaterThan(2);
    for (const block of commands) {
      const output = await terminal.run(block.text);
      const [, check] = expectations.find(([words]) => words.test(block.text)) ?? [];
      expect([block.text, check]).toEqual([block.text, expect.any(Function)]);
      check?.(output);
      ran.add(block);
    }
  });

  it('in JavaScript', async () => {
    const scripts = texts['/reference.md']?.filter(({ language }) => language === 'js') ?? [];
    expect(scripts).toHaveLength(2);
    for (const block of scripts) {
      const env = { PATH: process.env['PATH'], KEY: demo.apiKey };
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', block.text], { env });
      expect(stdout).toMatch(/^[1-9]\d* (active )?products\n$/);
      ran.add(block);
    }
  });

  it('of a response and its GraphQL equivalent: the call returns such a body, and the document the same objects', async () => {
    const blocks = texts['/reference.md'] ?? [];
    for (const { operationId } of operations) {
      const at = blocks.findIndex(({ language, text }) => language === 'graphql' && text.includes(` ${operationId}`));
      const [call, response, document, variables] = blocks.slice(at - 2, at + 2) as [Block, Block, Block, Block];
      const rest = JSON.parse(await terminal.run(call.text)) as { data: unknown };
      const { data, errors } = await askGraphql<Record<string, { nodes?: unknown } | undefined>>(
        demo.origin,
        demo.apiKey,
        document.text,
        JSON.parse(variables.text) as Record<string, unknown>,
      );
      expect([operationId, errors]).toEqual([operationId, undefined]);
      const [root] = Object.values(data);
      expect(root?.nodes ?? root).toEqual(rest.data);
      expect(firstObject(JSON.parse(response.text))).toEqual(firstObject(rest));
      for (const block of [response, document, variables]) ran.add(block);
    }
  });

  it('of a query and of each member of a filter: it runs, and every query has one', async () => {
    const page = (await exchange(demo.origin, '/reference/graphql', { headers: { Accept: 'text/html' } })).text;
    const textIn = (html: string) => decode(html.replace(/<[^>]*>/g, ''));
    const partOf = (form: string, pattern: RegExp) => pattern.exec(form)?.[1];
    const examples = page.split('<form class="example"').slice(1).map((form) => ({
      list: partOf(form, /^[^>]* data-list="(\w+)"/) ?? 'products',
      document: textIn(partOf(form, /data-document><code>(.*?)<\/code>/s) ?? ''),
      variables: textIn(partOf(form, / data-variables="([^"]*)"/) ?? ''),
      shown: textIn(partOf(form, /data-graphql-response><code>(.*?)<\/code>/s) ?? ''),
    })); // prettier-ignore
    const queries = [...page.matchAll(/<article class="op" id="Query\.(\w+)"/g)].map(([, name = '']) => name);
    expect(examples).toHaveLength(queries.length);
    const answers: Record<string, unknown> = {};
    for (const [at, { list, document, variables, shown }] of examples.entries()) {
      const found = await ask<Record<string, { nodes: { id: string }[] }>>(`{ ${list}(first: 1) { nodes { id } } }`);
      const given = JSON.parse(variables.replace(/[A-Z]+_ID/, found[list]?.nodes[0]?.id ?? '')) as Record<
        string,
        unknown
      >;
      const answer = await ask<Record<string, unknown>>(document, given);
      expect(answer[queries[at] ?? '']).toEqual(expect.anything());
      answers[queries[at] ?? ''] = answer;
      // Ids and dates are those of the shop that was queried.
      if (!isWriting) expect([document, shapeOf({ data: answer })]).toEqual([document, shapeOf(JSON.parse(shown))]);
    }
    if (isWriting) writeFileSync(answersFile, `${JSON.stringify(answers, undefined, 2)}\n`);
    const filters = [...page.matchAll(/#query=([^"]*)"/g)].map(([, query = '']) => decodeURIComponent(query));
    const conditions = [...(await exchange(demo.origin, '/schema.graphql', {})).text.matchAll(/^input \w+Filter \{(.*?)^\}/gms)].flatMap(([, body = '']) => body.match(/^ {2}\w+:/gm) ?? []); // prettier-ignore
    expect(filters).toHaveLength(conditions.length);
    for (const query of filters) await ask(query);
  });

  it('was run: there are no others', () => {
    const left = Object.values(texts)
      .flat()
      .filter((block) => !ran.has(block));
    expect(left).toEqual([]);
  });
});
