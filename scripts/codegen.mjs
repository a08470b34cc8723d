// Generates files that are in git. From schema.graphql: the documents of the REST operations, which select every member
// in schema order, the object schemas of OpenAPI, the models of schema.prisma, and a migration for each column that has
// none. From rest/operations/: the parameters of OpenAPI. From src/database/sql-constants.ts: the constants in the SQL
// of prisma/. From src/config/settings.ts: the tables of settings in documents, and the settings that docs/deploy and
// docker-compose.yml pass on. `node scripts/codegen.mjs --check` writes nothing and fails if a file is out of date.
// codegen-types.mjs generates types.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeafType, getNamedType, buildASTSchema, parse } from 'graphql';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { membersOf, writeSchemaMembers } from './schema-members.mjs';

const root = join(import.meta.dirname, '..');
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

const schema = buildASTSchema(parse(read('schema.graphql')), { assumeValidSDL: true });
writeSchemaMembers(schema);

createRequire(import.meta.url)('../test/support/typescript-hook.cjs');
const { columnsOf, restColumnsOf, typenames } = createRequire(import.meta.url)('../src/catalog/model.ts');
const { columnSqlOf, toMigration } = createRequire(import.meta.url)('../src/catalog/model-sql.ts');

/** The members that /v1 does not show. */
const beyondRest = {
  Shop: ['changesCursor'],
  ...Object.fromEntries(
    Object.entries(typenames).map(([table, typename]) => [
      typename,
      columnsOf(table).flatMap(({ member, isBeyondRest }) => (isBeyondRest ? [member] : [])),
    ]),
  ),
};

/** All members of a type except `leftOut`, named as in REST. */
const selectAll = (typename, leftOut = []) =>
  membersOf(schema, typename)
    .filter((member) => !leftOut.includes(member.name))
    .map((member) => {
      const column = member.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const type = getNamedType(member.type);
      const inner = isLeafType(type) ? '' : `{${selectAll(type.name)}}`;
      return `${column === member.name ? '' : `${column}: `}${member.name}${inner}`;
    })
    .join('\n');
const selectRest = (typename) => selectAll(typename, beyondRest[typename]);

const texts = {
  ...Object.fromEntries(
    [
      ['getShop', '', 'shop', 'Shop'],
      ['getProduct', '$id: ID!', 'product(id: $id)', 'Product', 'variants'],
      ...['Product', 'Collection', 'Order'].map((noun) => {
        const list = `${noun.toLowerCase()}s`;
        const variables = `$first: Int!, $after: String, $filter: ${noun}Filter`;
        return [`list${noun}s`, variables, `${list}(first: $first, after: $after, filter: $filter)`, noun];
      }),
    ].map(([operation, variables, field, typename, nested]) => {
      const selection = selectRest(typename) + (nested ? `\n${nested} {${selectRest('Variant')}}` : '');
      const body = operation.startsWith('list')
        ? `nodes {${selection}}\npageInfo { hasNextPage endCursor }`
        : selection;
      return [
        `rest/operations/${operation}.graphql`,
        `query ${operation}${variables && `(${variables})`} { ${field} {${body}} }`,
      ];
    }),
  ),
};

/**
 * A page of the change feed. Each type has its own alias, so that members of the same name may have different types.
 */
const fed = ['Product', 'Variant', 'Collection', 'Order'];
const selectFed = (typename) =>
  `${typename.toLowerCase()}: node { ... on ${typename} {${selectAll(typename)}${typename === 'Variant' ? '\nproduct { id }' : ''}} }`;
texts['rest/feed/listChanges.graphql'] = `query listChanges(
  $after: String, $first: Int!, $types: [ObjectType!], $startsNow: Boolean!, $hasCursors: Boolean!
) {
  changes(after: $after, first: $first, types: $types) {
    edges {
      cursor @include(if: $hasCursors)
      node {
        type
        id
        external_id: externalId
        deleted
        ${fed.map(selectFed).join('\n')}
      }
    }
    pageInfo { hasNextPage endCursor }
    changesCursor @include(if: $startsNow)
  }
}`;

const isCheck = process.argv.includes('--check');
const stale = [];
async function finish(filename, generated, parser) {
  settle(filename, await format(generated, { ...(await resolveConfig(join(root, filename))), parser }));
}
function settle(filename, text) {
  if (!isCheck) writeFileSync(join(root, filename), text);
  else if (text !== read(filename)) stale.push(filename);
}
for (const [filename, text] of Object.entries(texts)) {
  await finish(filename, text, 'graphql');
}

const ref = (name) => [`$ref: '#/components/schemas/${name}'`];
/** The OpenAPI schema of a column, by its GraphQL type. */
const toOpenApiType = (type, kind) => {
  const nullable = !type.endsWith('!');
  const plain = (name) => (nullable ? `type: [${name}, 'null']` : `type: ${name}`);
  switch (type.replace(/!$/, '')) {
    case 'ID':
      return ref('Uuid');
    case 'Decimal':
      return ref('NullableDecimal');
    case 'DateTime':
      return ref(nullable ? 'NullableTimestamp' : 'Timestamp');
    case 'ProductStatus':
      return ref('ProductStatus');
    case '[String!]':
      return ['type: array', 'items:', '  type: string'];
    case '[VariantOption!]':
      return ['type: array', 'items:', ...ref('VariantOption').map((line) => `  ${line}`)];
    case 'Boolean':
      return [plain('boolean')];
    case 'Int':
    case 'Long':
      return [
        plain('integer'),
        ...(kind === 'position' ? [] : ['format: int64']),
        ...(kind === 'count' || type === 'Int!' ? ['minimum: 0'] : []),
      ];
    default:
      return [plain('string')];
  }
};

/** Members that the specification requires: lists and derived members are optional. */
const isRequiredInRest = ({ isRequired, kind }) => isRequired && !['tags', 'options', 'derived'].includes(kind);

/** A description of the schema, with members named as in REST. */
const toRestWords = (description) =>
  description
    .replaceAll('\n', ' ')
    .replaceAll(/`\w+`/g, (member) => member.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

function toOpenApiSchema(table, typename, { name, description, more = [] }) {
  const fields = schema.getType(typename).getFields();
  const columns = restColumnsOf(table);
  const lines = [
    `${name}:`,
    `  description: ${description}`,
    '  type: object',
    '  required:',
    ...columns.filter(isRequiredInRest).map((column) => `    - ${column.name}`),
    ...more.map(([member]) => `    - ${member}`),
    '  properties:',
    ...columns.flatMap(({ member, name: column, kind }) => [
      `    ${column}:`,
      `      description: ${kind === 'key' ? `${typename} ID.` : toRestWords(fields[member].description)}`,
      ...toOpenApiType(String(fields[member].type), kind).map((line) => `      ${line}`),
    ]),
    ...more.flatMap(([member, ...rest]) => [`    ${member}:`, ...rest.map((line) => `      ${line}`)]),
  ];
  return lines.map((line) => `    ${line}\n`).join('');
}

/** Replaces the object schemas in rest/openapi.yaml. */
function withObjectSchemas(document) {
  const variants = ['description: All variants, sorted by `position`.', 'type: array', 'items:'];
  const schemas = [
    ['products', 'Product', { name: 'Product', description: 'A product without its variants.' }],
    [
      'products',
      'Product',
      {
        name: 'ProductWithVariants',
        description: 'A product with its variants.',
        more: [['variants', ...variants, `  ${ref('Variant')}`]],
      },
    ],
    ['variants', 'Variant', { name: 'Variant', description: 'One sellable version of a product.' }],
    [
      'collections',
      'Collection',
      { name: 'Collection', description: 'A collection, called a category on some platforms.' },
    ],
    ['orders', 'Order', { name: 'Order', description: 'An order imported from the platform of the shop.' }],
  ];
  return schemas.reduce((text, [table, typename, options]) => {
    const start = text.indexOf(`\n    ${options.name}:\n`, text.indexOf('\n  schemas:\n')) + 1;
    const length = text.slice(start + 1).search(/^ {4}\S|^ {2}\S/m) + 1;
    return text.slice(0, start) + toOpenApiSchema(table, typename, options) + text.slice(start + length);
  }, document);
}

/** Parameters of every operation, besides its own. */
const ofEveryOperation = ['IfNoneMatch', 'XRequestId'];

/** The OpenAPI entry of a parameter, from the definition that validates it. */
function toOpenApiParameter({ name, in: place = 'query', rule, description, example }) {
  const schema = rule.schema?.$ref ? rule.schema : { type: rule.type, ...rule.schema };
  const parameter = { name, in: place, required: place === 'path', description, schema, example };
  const text = stringify({ [name]: parameter }, { lineWidth: 120, blockQuote: 'folded' });
  return text.replaceAll(/^(?=.)/gm, '    ');
}

/** Replaces the parameters before `IfNoneMatch`, and the references of each operation. */
function withParameters(document) {
  const parameters = operations.flatMap((operation) => operation.parameters);
  const described = [...new Map(parameters.map((one) => [one.name, one])).values()].map(toOpenApiParameter).join('');
  const whole = document.replace(/(?<=^ {2}parameters:\n)[^]*?(?=^ {4}IfNoneMatch:)/m, () => described);
  return operations.reduce((text, { operationId, parameters: own }) => {
    const references = [...own.map(({ name }) => name), ...ofEveryOperation]
      .map((name) => `        - $ref: '#/components/parameters/${name}'\n`)
      .join('');
    return text.replace(
      new RegExp(`(operationId: ${operationId}\\n[^]*?\\n      parameters:\\n)(?:        - .*\\n)*`),
      (_, before) => before + references,
    );
  }, whole);
}
const { operations } = createRequire(import.meta.url)('../rest/operations.ts');
await finish('rest/openapi.yaml', withParameters(withObjectSchemas(read('rest/openapi.yaml'))), 'yaml');

/** Types and defaults of columns as Prisma writes them. */
const prismaTypes = {
  uuid: 'String',
  text: 'String',
  'text[]': 'String[]',
  jsonb: 'Json',
  boolean: 'Boolean',
  integer: 'Int',
  bigint: 'BigInt',
  'timestamptz(3)': 'DateTime',
};
const nativeTypes = { uuid: '@db.Uuid', 'timestamptz(3)': '@db.Timestamptz(3)' };
const prismaDefaults = {
  'gen_random_uuid()': 'dbgenerated("gen_random_uuid()")',
  "'ACTIVE'": '"ACTIVE"',
  "'{}'": '[]',
  "'[]'": '"[]"',
  0: '0',
};

/** Writes the columns of objects into their models: after the shop, before derived columns and relations. */
function withModels(schemaText) {
  return Object.entries(typenames).reduce((text, [table, typename]) => {
    const columns = columnsOf(table);
    const members = columns.map(({ member }) => member).join('|');
    const fields = columnSqlOf(table).map(({ name, type, isNotNull, defaultValue }, index) => {
      const { member, kind } = columns[index];
      const attributes = [
        defaultValue && `@default(${prismaDefaults[defaultValue]})`,
        name !== member && `@map("${name}")`,
        nativeTypes[type],
      ].filter(Boolean);
      const derived = kind === 'derived' ? '  /// Derived.\n' : '';
      return `${derived}  ${member} ${prismaTypes[type]}${isNotNull ? '' : '?'} ${attributes.join(' ')}\n`;
    });
    return text.replace(
      new RegExp(`(?<=^model ${typename} {\\n.*\\n)[^}]*`, 'm'),
      (block) => fields.join('') + block.replaceAll(new RegExp(`(?: *///.*\\n)?^ *(?:${members}) .*\\n`, 'gm'), ''),
    );
  }, schemaText);
}

/** Prisma aligns the columns of a model itself. */
function finishPrismaSchema(filename) {
  const draft = join(mkdtempSync(join(tmpdir(), 'schema-')), 'schema.prisma');
  writeFileSync(draft, withModels(read(filename)));
  execFileSync(process.execPath, ['scripts/prisma.cjs', 'format', '--schema', draft], { cwd: root, stdio: 'pipe' });
  settle(filename, readFileSync(draft, 'utf8'));
}
finishPrismaSchema('prisma/schema.prisma');

/** Writes the service's constants in front of the comments that name them. */
function fillInConstants() {
  const { sqlConstants } = createRequire(import.meta.url)('../src/database/sql-constants.ts');
  const files = readdirSync(join(root, 'prisma'), { recursive: true }).filter((name) => name.endsWith('.sql'));
  const used = new Set();
  for (const file of files.map((name) => join('prisma', name))) {
    const filled = read(file).replaceAll(/(?:U&)?(?:'[^']*'|\b\d+) \/\*(\w+)\*\//g, (_, name) => {
      if (!(name in sqlConstants)) throw new Error(`${file}: src/database/sql-constants.ts has no ${name}.`);
      used.add(name);
      return `${sqlConstants[name]} /*${name}*/`;
    });
    settle(file, filled);
  }
  const unused = Object.keys(sqlConstants).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`Not used in the SQL of prisma/: ${unused.join(', ')}.`);
}
fillInConstants();

/** The columns of a table according to the migrations: those of CREATE TABLE, and those that ALTER TABLE adds. */
function migratedColumnsOf(table, sql) {
  const [, created = ''] = new RegExp(`CREATE TABLE ${table} \\(\\n([^]*?)\\n\\);`).exec(sql) ?? [];
  const altered = [...sql.matchAll(new RegExp(`ALTER TABLE ${table}\\b[^;]*`, 'g'))].flatMap(([text]) => [
    ...text.matchAll(/ADD COLUMN (\w+)/g),
  ]);
  return [...created.matchAll(/^ {2}(\w+) +[a-z]/gm), ...altered].map(([, name]) => name);
}

/** Writes a migration for the columns of the model that have none. */
function writeMigration() {
  const folders = readdirSync(join(root, 'prisma/migrations')).filter((name) => !name.endsWith('.toml'));
  const sql = folders.map((name) => read('prisma/migrations', name, 'migration.sql')).join('\n');
  for (const table of Object.keys(typenames)) {
    const known = migratedColumnsOf(table, sql);
    const missing = columnsOf(table).flatMap(({ name }) => (known.includes(name) ? [] : [name]));
    if (missing.length === 0) continue;
    const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    const folder = `prisma/migrations/${timestamp}_add_${table}_${missing.join('_')}`;
    if (isCheck) stale.push(folder);
    else {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, 'migration.sql'), toMigration(table, missing));
      console.log(`Wrote ${folder}: read it before you run it.`);
    }
  }
}
writeMigration();

const { settingEntries, settingsFromFiles } = createRequire(import.meta.url)('../src/config/settings.ts');

const defaultOf = ({ default: byDefault, defaultWords }) => defaultWords ?? (byDefault || '–');
const isRequired = ({ requiredInProduction }) => requiredInProduction !== undefined;
const quoted = (names) => names.map((name) => `\`${name}\``);
const inSentence = (words) => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
const tableOf = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

const allSettings = `${tableOf(
  ['name', 'default', 'in production', 'meaning'],
  settingEntries.map(([name, setting]) => [
    `\`${name}\``,
    defaultOf(setting),
    isRequired(setting) ? 'required' : (setting.inProduction ?? ''),
    setting.meaning.replaceAll('docs/operations.md#', '#'),
  ]),
)}
${inSentence(quoted(settingsFromFiles))} can be read from files: set \`CURSOR_SECRET_FILE=/run/secrets/cursor-secret\` instead of \`CURSOR_SECRET\`. Setting both fails.
`;
/** The secrets that have a file in every deployment: those that are required or shared by processes. */
const mountedSecrets = settingEntries.filter(
  ([name, one]) => one.isSecret && (isRequired(one) || name === 'REDIS_URL'),
);
const passedOn = settingEntries
  .filter(([, { isDecidedByCompose }]) => !isDecidedByCompose)
  .map(([name, { isSecret }]) => (isSecret ? `${name}_FILE` : name))
  .filter((name) => !mountedSecrets.some(([secret]) => name === `${secret}_FILE`));

/** Replaces the text between the two marker comments. */
async function fillIn(filename, text, [open, close]) {
  const start = '<generated from src/config/settings.ts>';
  const end = '</generated>';
  const filled = read(filename).replace(
    new RegExp(`(${open}${start}${close}\\n)[^]*?( *${open}${end}${close})`),
    (_, before, after) => `${before}${text}${after}`,
  );
  await finish(filename, filled, filename.endsWith('.md') ? 'markdown' : 'yaml');
}
const inMarkdown = ['<!-- ', ' -->'];
const inYaml = ['# ', ''];
await fillIn('docs/operations.md', `\n${allSettings}`, inMarkdown);
await fillIn('docker-compose.yml', passedOn.map((name) => `      ${name}:\n`).join(''), inYaml);
await fillIn(
  'docs/deploy/kubernetes/deployment.yaml',
  mountedSecrets
    .map(([name]) => `            - { name: ${name}_FILE, value: /run/secrets/catalog/${name} }\n`)
    .join(''),
  inYaml,
);

if (stale.length > 0) {
  console.error(`Out of date; run \`npm run codegen\`:\n  ${stale.join('\n  ')}`);
  process.exit(1);
}
