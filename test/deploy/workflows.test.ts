import { accessSync, constants, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '../..');
const read = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'));

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes': number; readonly steps: readonly Step[] }>>;
}
const workflows = readdirSync(join(root, '.github/workflows')).map(
  (name) => [name, read(`.github/workflows/${name}`) as Workflow] as const,
);
const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

describe.each(workflows)('%s', (_name, workflow) => {
  it('has only read access and a time limit, and each step is a pinned action or an existing script', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
    for (const { uses, run } of stepsOf(workflow)) {
      if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/);
      else expect(run).toEqual(expect.any(String));
      for (const [script] of run?.matchAll(/^\.ci\/\S+/gm) ?? []) accessSync(join(root, script), constants.X_OK);
      for (const [file] of run?.matchAll(/docs\/\S+/g) ?? []) accessSync(join(root, file));
    }
  });
});

it('every pattern of tests in .ci matches a file', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true }).map((path) => `test/${path.toString()}`);
  for (const script of ['run', 'nightly']) {
    const text = readFileSync(join(root, '.ci', script), 'utf8');
    for (const [, path = '', group = ''] of text.matchAll(/(test\/[\w/-]+)(?:\((.*?)\))?/g))
      for (const name of group.split('|'))
        expect([path + name, files.some((file) => new RegExp(path + name).test(file))]).toContain(true);
  }
});
