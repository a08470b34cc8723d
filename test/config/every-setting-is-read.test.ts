import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { settingEntries } from '../../src/config/settings';
import { readTypeDefinitions } from '../../src/graph/schema';

/** The code of src/ without comments, and without the directory that declares the settings. */
const readSources = (without: RegExp): string =>
  readdirSync('src', { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.endsWith('.ts') && !without.test(path))
    .map((path) => readFileSync(path, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''))
    .join('\n');

/** Members that are read as `config.member` or destructured by name. */
const isRead = (sources: string, member: string): boolean =>
  new RegExp(`\\.${member}\\b|[{,]\\s*${member}\\s*[,:}=]|'${member}'`).test(sources);

/** Only config.ts reads it, to set `production`. */
const readWhereDeclared: readonly string[] = ['NODE_ENV'];

it('every setting is read by the code', () => {
  const sources = readSources(/src\/(?:config|database\/generated)\//);
  const toMember = (name: string) =>
    name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const unread = settingEntries
    .map(([name]) => name)
    .filter((name) => !readWhereDeclared.includes(name) && !isRead(sources, toMember(name)));
  expect(unread).toEqual([]);
});

it('every argument of the schema is read by the code', () => {
  const sources = readSources(/src\/(?:config|database\/generated)\/|src\/catalog\/schema-/);
  const schema = buildSchema(readTypeDefinitions(), { assumeValid: true });
  const names = Object.values(schema.getTypeMap()).flatMap((type) =>
    (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__')
      ? Object.values(type.getFields()).flatMap(({ args }) => args.map(({ name }) => name))
      : isInputObjectType(type)
        ? Object.keys(type.getFields())
        : [],
  );
  expect(names.length).toBeGreaterThan(50);
  expect([...new Set(names)].filter((name) => !isRead(sources, name))).toEqual([]);
});
