import { accessSync, constants, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '../..');
const read = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'));

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes': number; readonly steps: readonly Step[] }>>;
}
const workflows = readdirSync(join(root, '.github/workflows')).map(
  (name) => [name, read(`.github/workflows/${name}`) as Workflow] as const,
);
const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

it('are a gate for changes, a night, and a release of a tag', () => {
  expect(Object.fromEntries(workflows.map(([name, { on }]) => [name, Object.keys(on)]))).toEqual({
    'ci.yml': ['pull_request', 'push'],
    'nightly.yml': ['schedule', 'workflow_dispatch'],
    'release.yml': ['push'],
  });
  const runs = workflows.map(([, workflow]) => stepsOf(workflow).flatMap(({ run }) => run?.match(/^\.ci\/\S+/) ?? []));
  expect(runs).toEqual([['.ci/run'], ['.ci/nightly'], ['.ci/run', '.ci/nightly', '.ci/release']]);
});

describe.each(workflows)('%s', (_name, workflow) => {
  it('may read alone, ends at some time, and each step is an action of a version or a script that is there', () => {
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

it('asks who reports a bug for the version and the X-Request-Id', () => {
  const { body } = read('.github/ISSUE_TEMPLATE/bug.yml') as {
    body: readonly { type: string; id?: string; validations?: { required: boolean } }[];
  };
  const required = body.filter(({ validations }) => validations?.required).map(({ id }) => id);
  expect(required).toEqual(expect.arrayContaining(['version', 'request-id', 'steps', 'outcome']));
});

it('updates the dependencies of each package, in groups', () => {
  const { updates } = read('.github/dependabot.yml') as {
    updates: readonly { directories?: readonly string[]; groups: object }[];
  };
  expect(updates.every(({ groups }) => Object.keys(groups).length > 0)).toBe(true);
  const directories = updates.flatMap((update) => update.directories ?? []);
  expect(directories.filter((directory) => !existsSync(join(root, directory, 'package.json')))).toEqual([]);
  expect(directories).toEqual(['/', '/test/clients/large', '/bench']);
});
