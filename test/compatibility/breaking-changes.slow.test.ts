import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const documents = { 'schema.graphql': 'schema.graphql', 'openapi.yaml': 'rest/openapi.yaml' };

/** Runs the check over our documents, one of them edited, as if ours were the last release's. */
function runGate(document: keyof typeof documents, edit: (text: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-compatibility-'));
  const released = mkdtempSync(join(tmpdir(), 'catalog-released-'));
  for (const [name, ours] of Object.entries(documents))
    for (const to of [folder, released]) cpSync(join(root, ours), join(to, name));
  const text = readFileSync(join(folder, document), 'utf8');
  const edited = edit(text);
  // An edit that found nothing to change would pass for the wrong reason.
  expect(edited).not.toBe(text);
  writeFileSync(join(folder, document), edited);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/compatibility.mjs', folder, released], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stderr };
}

function expectRefusal(document: keyof typeof documents, edit: (text: string) => string, message: RegExp) {
  const { status, stderr } = runGate(document, edit);
  expect(stderr).toMatch(/^These changes break clients of the last release/);
  expect(stderr).toMatch(message);
  expect(status).toBe(1);
}

const replace = (pattern: RegExp, by: string) => (text: string) => text.replace(pattern, by);

describe('the check for breaking changes', () => {
  it('passes the current state', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/compatibility.mjs'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('No change breaks clients of the last release');
  });

  it.each([
    [
      'a field that is gone',
      replace(/^ {2}"Domain of the shop[^\n]*\n {2}domain: String\n/m, ''),
      /Shop\.domain was removed/,
    ],
    ['a type that is gone', replace(/\bProductSortKey\b/g, 'ProductOrderKey'), /ProductSortKey was removed/],
    ['an enum value that is gone', replace(/^ {2}("[^"\n]*"\n {2})?ARCHIVED\n/m, ''), /ARCHIVED was removed/],
    [
      'a field that may be null now',
      replace(/hasNextPage: Boolean!/, 'hasNextPage: Boolean'),
      /hasNextPage changed type/,
    ],
    ['an argument that must be given', replace(/after: String\b/, 'after: String!'), /after/],
    ['a default that is another', replace(/\breverse: Boolean! = false/, 'reverse: Boolean! = true'), /reverse/],
  ])('refuses, in the GraphQL schema, %s', (_, edit, message) => expectRefusal('schema.graphql', edit, message));

  it.each([
    ['an operation that is gone', replace(/^ {2}\/collections:\n(?: {4,}.*\n|\n)*/m, ''), /collections/],
    ['a parameter that must be given', replace(/(name: q\n\s+in: query\n\s+required: )false/, '$1true'), /q/],
    [
      'a value of a parameter that is gone',
      replace(/enum: \[ACTIVE, DRAFT, ARCHIVED\]/, 'enum: [ACTIVE, DRAFT]'),
      /enum/,
    ],
    ['a bound that is lower', replace(/maximum: 200\b/g, 'maximum: 100'), /maximum/],
    ['a property that is gone', replace(/^( {8})vendor:\n(?: {10,}.*\n)+/m, ''), /vendor/],
    ['a property that may be missing', replace(/^ {8}- external_id\n/m, ''), /external_id|required/],
    [
      'a property of another type',
      replace(/^( {8}variant_count:\n(?: {10}(?!type).*\n)* {10}type: )integer/m, '$1string'),
      /variant_count/,
    ],
    ['a header that is gone', replace(/^ {12}ETag:\n(?: {14,}.*\n)+/m, ''), /ETag/],
    ['a status that is gone', replace(/^ {8}'404':\n(?: {10,}.*\n)+/m, ''), /404/],
  ])('refuses, in the OpenAPI document, %s', (_, edit, message) => expectRefusal('openapi.yaml', edit, message));

  it.each([
    ['schema.graphql', 'a field more', replace(/^type Shop .*\{\n/m, '$&  region: String\n')],
    ['schema.graphql', 'a description', replace(/"""/, '""" Once more:')],
    ['openapi.yaml', 'a description', replace(/description: Title of the variant\./, 'description: Its label.')],
    [
      'openapi.yaml',
      'the description of a response',
      replace(/The service is temporarily unavailable/, 'Try again later'),
    ],
    ['openapi.yaml', 'a property more', replace(/^ {8}vendor:\n/m, '        region:\n          type: string\n$&')],
  ] as const)('accepts, in %s, %s', (document, _, edit) => {
    expect(runGate(document, edit)).toMatchObject({ status: 0 });
  });
});
