import type { ConstDirectiveNode, ConstValueNode, DocumentNode } from 'graphql';
import { Kind } from 'graphql';
import { isUrl } from '../common/is-url';
import { argumentOf } from './sdl-nodes';

/**
 * A specification that a document links with `@link` or its predecessor `@core` (https://specs.apollo.dev/link/v1.0).
 */
export interface LinkedFeature {
  /** As written. */
  readonly url: string;
  /** The URL without its version: `https://specs.apollo.dev/inaccessible`. */
  readonly identity: string;
  /** `v0.2`; undefined when the URL has none. */
  readonly version: string | undefined;
  /** The feature's own name, the last part of the identity; undefined when there is none. */
  readonly name: string | undefined;
  /** The name of the feature's main directive here, and the prefix of elements that are not imported. */
  readonly namespace: string | undefined;
  /** `SECURITY` or `EXECUTION`: without it the document must not be used. */
  readonly purpose: string | undefined;
  /** Elements by their name here: `@private` → `@inaccessible`. */
  readonly imports: ReadonlyMap<string, string>;
}

export const specsOrigin = 'https://specs.apollo.dev';

/**
 * Reads the features that a document links, whatever the linking directive itself is called.
 * @throws Error for a link that does not follow the specification, because its meaning would be a guess.
 */
export function readLinkedFeatures(document: DocumentNode): readonly LinkedFeature[] {
  const directives = document.definitions.flatMap((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? (definition.directives ?? [])
      : [],
  );
  const linking = new Set(['link', 'core']);
  for (const directive of directives) {
    const { identity } = parseUrl(urlOf(directive) ?? '');
    if (identity === `${specsOrigin}/link` || identity === `${specsOrigin}/core`) linking.add(directive.name.value);
  }
  return directives.flatMap((directive) => {
    const url = urlOf(directive);
    const name = directive.name.value;
    if (linking.has(name)) return [toFeature(directive, url)];
    if (url !== undefined && parseUrl(url).identity.startsWith(`${specsOrigin}/`)) {
      throw new Error(`@${name} on the schema refers to ${url}, but @${name} is neither @link nor an alias of it`);
    }
    return [];
  });
}

function toFeature(directive: ConstDirectiveNode, url: string | undefined): LinkedFeature {
  if (url === undefined) throw malformed(directive, 'expected the URL of a specification as a string');
  const parsed = parseUrl(url);
  const as = textIn(directive, argumentOf(directive, 'as'), 'as');
  const purpose = textIn(directive, argumentOf(directive, 'for'), 'for');
  if (purpose !== undefined && purpose !== 'SECURITY' && purpose !== 'EXECUTION') {
    throw malformed(directive, `for: expected SECURITY or EXECUTION, got ${purpose}`);
  }
  return { ...parsed, url, namespace: as ?? parsed.name, purpose, imports: parseImports(directive) };
}

/** The last part of the path is a version or the name (link v1.0, "url"). */
function parseUrl(text: string): Pick<LinkedFeature, 'identity' | 'version' | 'name'> {
  if (!isUrl(text)) return { identity: text, version: undefined, name: undefined };
  const { origin, protocol, host, pathname } = new URL(text);
  const parts = pathname.split('/').filter((part) => part !== '');
  const version = /^v\d+\.\d+$/.test(parts.at(-1) ?? '') ? parts.pop() : undefined;
  const name = parts.at(-1);
  // Otherwise it cannot be a directive's name, so there is no namespace.
  const isName = name !== undefined && /^[A-Za-z]\w*$/.test(name) && !name.includes('__') && !name.endsWith('_');
  const from = origin === 'null' ? `${protocol}//${host}` : origin;
  return { identity: [from, ...parts].join('/'), version, name: isName ? name : undefined };
}

/** `["@key", { name: "@shareable", as: "@shared" }]`; a single value stands for a list of it. */
function parseImports(directive: ConstDirectiveNode): ReadonlyMap<string, string> {
  const value = argumentOf(directive, 'import');
  const items =
    value === undefined || value.kind === Kind.NULL ? [] : value.kind === Kind.LIST ? value.values : [value];
  const imports = new Map<string, string>();
  for (const item of items) {
    const members = item.kind === Kind.OBJECT ? item.fields : undefined;
    const member = (key: string) => members?.find((field) => field.name.value === key)?.value;
    const name = textIn(directive, members === undefined ? item : member('name'), 'import');
    if (name === undefined) throw malformed(directive, 'import: expected the names of elements');
    const local = textIn(directive, member('as'), 'import') ?? name;
    if (local.startsWith('@') !== name.startsWith('@')) {
      throw malformed(directive, `import: ${name} and its alias must both start with @, or neither; got ${local}`);
    }
    imports.set(local, name);
  }
  return imports;
}

function urlOf(directive: ConstDirectiveNode): string | undefined {
  const value = argumentOf(directive, 'url') ?? argumentOf(directive, 'feature');
  return value?.kind === Kind.STRING ? value.value : undefined;
}

/** @returns undefined for null and for an argument that is not given */
function textIn(directive: ConstDirectiveNode, value: ConstValueNode | undefined, name: string): string | undefined {
  if (value === undefined || value.kind === Kind.NULL) return undefined;
  if (value.kind === Kind.STRING || value.kind === Kind.ENUM) return value.value;
  throw malformed(directive, `${name}: expected a string`);
}

const malformed = (directive: ConstDirectiveNode, problem: string): Error =>
  new Error(`@${directive.name.value}(url: ${JSON.stringify(urlOf(directive) ?? '')}) on the schema: ${problem}`);
