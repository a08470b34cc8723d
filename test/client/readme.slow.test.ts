import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { projectRoot } from '../../src/common/project-root';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

const run = promisify(execFile);
const clientDirectory = join(projectRoot, 'client');
const readme = readFileSync(join(clientDirectory, 'README.md'), 'utf8');

let service: DemoService;
let project: string;
beforeAll(async () => {
  service = await startDemoService();
  project = mkdtempSync(join(tmpdir(), 'client-readme-'));
  const installed = join(project, 'node_modules/catalog-read-api-client');
  mkdirSync(installed, { recursive: true });
  mkdirSync(join(project, 'node_modules/@types'));
  symlinkSync(join(projectRoot, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  copyFileSync(join(clientDirectory, 'package.json'), join(installed, 'package.json'));
  execFileSync(process.execPath, [join(clientDirectory, 'build.mjs'), join(installed, 'dist')]);
});
afterAll(() => service.close());

/** What each example prints, in the order of the README. */
const printed: readonly (readonly [string, RegExp])[] = [
  ['First call', /^.+ has \d+ products\n$/],
  ['Lists', /^(.+ (\d+(\.\d+)?|null)\n)+$/],
  ['Lists', /^(20\n){2,}\d+\n([0-9a-f-]{36}\n)+$/],
  ['Rate limits and retries', /^(\S+ \d+(\.\d+)?\n){2,}$/],
  ['Errors', /^Product not found\. \S+\n$/],
  ['GraphQL', /^(.+ -?\d+\n){5}$/],
  ['Mirror a shop', /^\d{2,} objects\n$/],
];

const examples = readme.split(/^## /m).flatMap((section) => {
  const heading = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => ({ heading, text }));
});

it('has the examples that are listed here', () => {
  expect(examples.map(({ heading }) => heading)).toEqual(printed.map(([heading]) => heading));
});

/** An example as a whole module for the service of this test. */
function complete(text: string): string {
  const connection =
    "createCatalogClient({ origin: 'https://api.catalog.example', credentials: { apiKey: 'ck_….…' } })";
  return [
    ...(text.includes('const client =')
      ? []
      : ["import { createCatalogClient } from 'catalog-read-api-client';", `const client = ${connection};`]),
    text,
  ]
    .join('\n')
    .replace('https://api.catalog.example', service.origin)
    .replace('ck_….…', service.apiKey);
}

const fileOf = (index: number, extension: string): string => join(project, `example-${index}.${extension}`);

it('has examples that compile under strict', () => {
  for (const [index, { text }] of examples.entries()) writeFileSync(fileOf(index, 'mts'), complete(text));
  // All at once, because most of the time goes into loading the types of Node and TypeScript.
  const program = ts.createProgram(
    examples.map((_, index) => fileOf(index, 'mts')),
    {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      types: ['node'],
      typeRoots: [join(project, 'node_modules/@types')],
    },
  );
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, '\n')]);
  expect(problems).toEqual([]);
  program.emit();
});

it.each(examples.map(({ heading }, index) => [index, heading] as const))(
  'example %i, %s, prints what it promises',
  async (index) => {
    const { stdout } = await run(process.execPath, [fileOf(index, 'mjs')], { cwd: project });
    expect(stdout).toMatch(printed[index]?.[1] as RegExp);
  },
);
