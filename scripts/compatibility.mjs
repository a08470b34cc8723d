// Compares the GraphQL schema and the OpenAPI document with those of the last release (released/), prints every change
// that could break a client, and fails when there is one. Run by `npm run compatibility`;
// `node scripts/compatibility.mjs FOLDER RELEASED` compares the schema.graphql and openapi.yaml of two other folders.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiCompare } from 'api-smart-diff';
import { buildSchema, DangerousChangeType, findBreakingChanges, findDangerousChanges } from 'graphql';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const [folder, released = join(root, 'released')] = process.argv.slice(2);
const current = {
  schema: join(folder ?? root, 'schema.graphql'),
  openapi: join(folder ?? join(root, 'rest'), 'openapi.yaml'),
};

/** The one change that graphql-js calls dangerous which changes the response to an unchanged operation. */
const breaksToo = new Set([DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE]);

function findSchemaBreaks(before, after) {
  const [old, now] = [buildSchema(before), buildSchema(after)];
  return [
    ...findBreakingChanges(old, now),
    ...findDangerousChanges(old, now).filter(({ type }) => breaksToo.has(type)),
  ].map(({ type, description }) => `${description} (${type})`);
}

/** The library allows removing an optional property, which breaks clients that read it. */
const mayNotGo = new Set(['properties', 'headers', 'parameters', 'responses', 'content']);

/** To the library, the description of a response is part of the contract; to clients, it is text. */
const isText = ({ path, before, after }) =>
  ['description', 'summary'].includes(path.at(-1)) && typeof before === 'string' && typeof after === 'string';

function findOpenapiBreaks(before, after) {
  const breaks = apiCompare(parse(before), parse(after)).diffs.filter(
    (diff) =>
      (diff.type === 'breaking' && !isText(diff)) || (diff.action === 'remove' && mayNotGo.has(diff.path.at(-2))),
  );
  const lines = breaks.map(
    ({ description, path, before: was, after: is }) =>
      `/${path.join('/')}: ${description ?? `was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`}`,
  );
  // A component that many operations refer to is one change.
  return [...new Set(lines)];
}

function findBreaks(name, file, find) {
  const [before, after] = [join(released, name), file].map((path) => readFileSync(path, 'utf8'));
  // Parsing takes longer than everything else.
  return before === after ? [] : find(before, after).map((text) => `${name}: ${text}`);
}

const problems = [
  ...findBreaks('schema.graphql', current.schema, findSchemaBreaks),
  ...findBreaks('openapi.yaml', current.openapi, findOpenapiBreaks),
];
if (problems.length > 0) {
  console.error(
    `These changes break clients of the last release (released/):\n  ${problems.join('\n  ')}\n` +
      'Deprecate first (docs/compatibility.md), or release a new major version: docs/maintaining.md, "Make a release".',
  );
  process.exit(1);
}
console.log('No change breaks clients of the last release');
