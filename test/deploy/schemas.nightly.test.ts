import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { largePackage } from '../clients/large-packages';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** A value, and the type it should have as TypeScript writes it. */
interface Typed {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

/** TypeScript's errors for each value as a literal of its type, including members that the type does not know. */
function complaintsAbout(values: readonly Typed[]): Record<string, string[]> {
  const text = values
    .map(({ type, value }, index) => `const value${index}: ${type} = ${JSON.stringify(value)};\n`)
    .join('');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  // Next to the packages so that imports resolve; the file is never written.
  const file = join(__dirname, '../clients/large/values-of-deployment-files.ts');
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile(file, `${text}export {};`, ts.ScriptTarget.ES2022);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (path, ...rest) => (path === file ? source : getSourceFile(path, ...rest));
  host.fileExists = (path) => path === file || fileExists(path);
  const complaints = Object.fromEntries(values.map(({ name }): [string, string[]] => [name, []]));
  for (const { file: at, start = 0, messageText } of ts.getPreEmitDiagnostics(
    ts.createProgram([file], options, host),
  )) {
    if (at !== source) throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    const { name = '' } = values[source.getLineAndCharacterOfPosition(start).line] ?? {};
    complaints[name]?.push(ts.flattenDiagnosticMessageText(messageText, '\n'));
  }
  return complaints;
}

/** The value with one key renamed wherever it occurs. */
const misspelled = (value: unknown, key: string, wrong: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(`"${key}":`, `"${wrong}":`));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const manifests = readdirSync(join(root, 'docs/deploy/kubernetes')).flatMap((file) =>
  parseAllDocuments(read(`docs/deploy/kubernetes/${file}`)).map((document, index): Typed => {
    const value = document.toJS() as Manifest;
    const group = value.apiVersion === 'v1' ? 'core/v1' : value.apiVersion.replace('.k8s.io/', '/');
    return { name: `${file} ${index}`, type: `import('kubernetes-types/${group}').${value.kind}`, value };
  }),
);
const dashboard: Typed = {
  name: 'catalog.json',
  type: `import('@grafana/schema').Dashboard`,
  value: JSON.parse(read('docs/deploy/monitoring/grafana/dashboards/catalog.json')),
};

describe('Kubernetes manifests and the dashboard', () => {
  const typed = [...manifests, dashboard];
  const find = (name: string): Typed => typed.find((each) => each.name === name) as Typed;
  const wrong = [
    ['deployment.yaml 0', 'readinessProbe', 'readinesProbe'],
    ['catalog.json', 'gridPos', 'gridPosition'],
  ].map(([name = '', key = '', other = '']) => ({
    ...find(name),
    name: `${name} with ${other}`,
    value: misspelled(find(name).value, key, other),
  }));
  let complaints: Record<string, string[]>;
  beforeAll(() => (complaints = complaintsAbout([...typed, ...wrong])));

  it.each(typed.map(({ name, type }) => [name, type]))('%s is a value of %s', (name) => {
    expect(complaints[name]).toEqual([]);
  });

  it.each(wrong.map(({ name }) => name))('would not be one, if it were %s', (name) => {
    expect(complaints[name]).not.toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  const { $schema: _, ...schema } = JSON.parse(
    readFileSync(largePackage('dclint', 'schemas/compose.schema.json'), 'utf8'),
  ) as Record<string, unknown>;
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const file = parse(read('docker-compose.yml'), { merge: true }) as unknown;
  const errorsOf = (value: unknown) => (isValid(value) ? [] : isValid.errors);

  it('is valid by the schema of the Compose Specification', () => {
    expect(errorsOf(file)).toEqual([]);
  });

  it.each([['depends_on', 'depend_on']])('would not be, with %s written as %s', (key, wrong) => {
    expect(errorsOf(misspelled(file, key, wrong))).not.toEqual([]);
  });
});
