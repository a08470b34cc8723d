import {
  isTypeDefinitionNode,
  Kind,
  parse,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type ObjectTypeDefinitionNode,
  type TypeDefinitionNode,
  type TypeNode,
  print,
  type DocumentNode,
} from 'graphql';
import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { renderCode, renderInline, renderPre } from '../reference/render-markdown';
import { escapeHtml, icons, assetsPath, renderPage, type ShellFacts } from '../shell/render-shell';
import { exampleValue, filterExample, readQueryExamples, type QueryExample } from './examples';

/** An entry of the schema: a field of Query, or a type. */
interface SchemaEntry {
  readonly id: string;
  readonly group: (typeof groups)[number];
  readonly kind: string;
  readonly node: FieldDefinitionNode | TypeDefinitionNode;
  readonly scope: string | undefined;
  readonly members: readonly MemberNode[];
}

type MemberNode = FieldDefinitionNode | InputValueDefinitionNode | EnumValueDefinitionNode;

const groups = ['Queries', 'Types', 'Interfaces', 'Inputs', 'Enums', 'Scalars'] as const;

const kinds: Readonly<Record<string, readonly [(typeof groups)[number], string]>> = {
  ObjectTypeDefinition: ['Types', 'type'],
  UnionTypeDefinition: ['Types', 'union'],
  InterfaceTypeDefinition: ['Interfaces', 'interface'],
  InputObjectTypeDefinition: ['Inputs', 'input'],
  EnumTypeDefinition: ['Enums', 'enum'],
  ScalarTypeDefinition: ['Scalars', 'scalar'],
};

const renderText = ({ description }: SchemaEntry['node'] | MemberNode): string =>
  renderInline(description?.value ?? '');

/** The argument of a directive as text, such as the scopes of `@requiresScopes(scopes: [["catalog:read"]])`. */
function argumentOf({ directives = [] }: Pick<ObjectTypeDefinitionNode, 'directives'>, directive: string): string | undefined {
  const found = directives.find(({ name }) => name.value === directive)?.arguments?.[0];
  if (found === undefined) return undefined;
  return [...print(found.value).matchAll(/"([^"]*)"/g)].map(([, text = '']) => text).join(' ');
} // prettier-ignore

/** Everything that the schema defines, in the order of its text; the fields of Query come first. */
function readSchemaEntries(schema: DocumentNode): readonly SchemaEntry[] {
  const types = schema.definitions.filter(isTypeDefinitionNode);
  const query = types.find(({ name }) => name.value === 'Query') as ObjectTypeDefinitionNode;
  const queries = (query.fields ?? []).map((node): SchemaEntry => {
    const inherited = types.find(({ name }) => name.value === nameOf(node.type));
    const scope = argumentOf(node, 'requiresScopes') ?? (inherited && argumentOf(inherited, 'requiresScopes'));
    return { id: `Query.${node.name.value}`, group: 'Queries', kind: 'query', node, scope, members: node.arguments ?? [] };
  });
  const others = types
    .filter((type) => type !== query)
    .map((node): SchemaEntry => {
      const [group, kind] = kinds[node.kind] ?? ['Types', 'type'];
      const members = 'fields' in node ? node.fields : 'values' in node ? node.values : [];
      return { id: node.name.value, group, kind, node, scope: argumentOf(node, 'requiresScopes'), members: members ?? [] };
    });
  return [...queries, ...others];
} // prettier-ignore

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

const standardScalars: ReadonlySet<string> = new Set(['String', 'Int', 'Boolean', 'ID', 'Float']);

/** A type in the syntax of the schema, with a link to the named type. */
function renderType(type: TypeNode): string {
  const name = nameOf(type);
  const text = print(type);
  return `<span class="type gt">${standardScalars.has(name) ? text : text.replace(name, `<a href="#${name}">${name}</a>`)}</span>`;
}

const aboutCosts = `One object in a response costs one point; its fields cost nothing, except \`totalCount\` (10 points) and most aggregates (50 or 200 points). A list costs its page size (\`first\` or \`last\`, by default 50; 10 if it has no pages) times the cost of one item, so nested lists multiply. Operations that cost more than 10,000 points are rejected before they run; the error names the most expensive field. Send the header \`X-GraphQL-Cost: 1\` to get the cost in \`extensions.cost\`. The rate limit counts calls, not points.`;

const aboutStart = `Send a POST request with a JSON body to \`/graphql\`. Authenticate with an API key or access token as a bearer token. The body has \`query\` and, optionally, \`variables\` and \`operationName\`. A query fails with \`FORBIDDEN\` if the key lacks the scope shown next to its name; \`changes\` needs only one of its two.`;

/** The context in which entries are rendered. */
interface Surroundings {
  readonly schema: DocumentNode;
  /** The explorer's path, if it is served. */
  readonly explorer: string | undefined;
  readonly examples: ReadonlyMap<string, QueryExample>;
  readonly usedBy: ReadonlyMap<string, readonly string[]>;
}

/** The schema of the installation, for people: every query with an example, then types, inputs and enums. */
export function renderGraphqlReference(schema: string, facts: ShellFacts, demoKey: string | undefined): string {
  const { publicUrl, hasExplorer } = facts;
  const parsed = parse(schema);
  const entries = readSchemaEntries(parsed);
  const shown = groups
    .map((group) => [group, entries.filter((entry) => entry.group === group)] as const)
    .filter(([, all]) => all.length > 0);
  const usedBy = new Map<string, string[]>();
  for (const { id, group, node, members } of entries)
    for (const user of [node, ...members]) {
      if (!('type' in user)) continue;
      const name = nameOf(user.type);
      const path = group === 'Queries' ? id : `${id}.${user.name.value}`;
      usedBy.set(name, [...(usedBy.get(name) ?? []), path]);
    }
  const around = {
    schema: parsed,
    explorer: hasExplorer ? `${pathPrefixOf(publicUrl)}${routes.explorer.path}` : undefined,
    examples: readQueryExamples(),
    usedBy,
  };
  const side = shown.map(
    ([group, all]) =>
      `<h2>${group}</h2><ul class="mono-list">${all.map(({ id, node }) => `<li><a href="#${id}">${node.name.value}</a></li>`).join('')}</ul>`,
  );
  const first = `curl -s -w '\\n' '${publicUrl}/graphql' \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '{ "query": "{ collections { nodes { title } } }" }'`;
  return renderPage(facts, {
    title: 'GraphQL reference · Catalog Read API',
    description: 'Every query with an example, and every type, input, enum and scalar with its scope.',
    current: routes.graphqlReference.path,
    files: ['reference.css', 'console.js'].map((name) => `${assetsPath}/${name}`),
    demoKey,
    navigation: `<nav class="side" aria-label="Schema"><h2>Start</h2><ul><li><a href="#first-query">First query</a></li><li><a href="#costs">Query cost</a></li></ul>${side.join('\n')}</nav>`,
    main: `<h1 class="sr">GraphQL reference</h1>
<article class="op" id="first-query" data-group="Guides" data-kind="graphql" aria-labelledby="first-query-title"><div class="intro"><p class="crumb">Start</p><h2 id="first-query-title">First query</h2></div><div class="beside"><div class="stick">${renderCode(first, 'sh')}</div></div><div class="text"><div class="md"><p>${renderInline(aboutStart)}</p></div></div></article>
<article class="op wide" id="costs" data-group="Guides" data-kind="graphql" aria-labelledby="costs-title"><div class="intro"><p class="crumb">Start</p><h2 id="costs-title">Query cost</h2></div><div class="text"><div class="md"><p>${renderInline(aboutCosts)}</p></div></div></article>
${shown.map(([group, all]) => (group === 'Queries' ? all.map((entry) => renderQuery(entry, around)).join('\n') : `<section class="op wide types" aria-labelledby="${group}-title"><details class="fold text"><summary>${icons.right}<h2 id="${group}-title">${group}</h2><span>${all.length}</span></summary>${all.map((entry) => renderTypeEntry(entry, around)).join('\n')}</details></section>`)).join('\n')}`,
  }); // prettier-ignore
}

const scopeChips = (scopes: string | undefined): string =>
  (scopes?.split(' ') ?? []).map((scope) => `<span class="chip" title="Required scope">${scope}</span>`).join(' ');

function renderQuery({ id, node, scope, members }: SchemaEntry, around: Surroundings): string {
  const name = node.name.value;
  const example = around.examples.get(name);
  return `<article class="op" id="${id}" data-group="GraphQL" data-kind="query" aria-labelledby="${id}-title">
<div class="intro"><h2 class="mono-h" id="${id}-title">${name}</h2>
<p class="path"><span class="kind">query</span>${'type' in node ? renderType(node.type) : ''}${scopeChips(scope)}</p>
<div class="lead">${renderText(node)}</div></div>
${example === undefined ? '' : `<div class="beside"><div class="stick">${renderExample(name, example, around.explorer)}</div></div>`}
<div class="text">${example === undefined ? '' : `<div class="code answer"><div class="code-head"><span class="title">Response</span><span class="ok" role="status" data-state>sample</span></div>${renderPre(example.answer, 'json', ' data-graphql-response')}</div>`}${members.length === 0 ? '' : `<details class="fold"><summary>${icons.right}Arguments <span>${members.length}</span></summary><ul class="rows">${members.map((member) => renderMember(id, member)).join('')}</ul></details>`}</div>
</article>`;
}

function renderExample(name: string, { query, list, variables }: QueryExample, explorer: string | undefined): string {
  const link = explorer === undefined ? '' : `<a class="icon" data-explore href="${explorer}" aria-label="Open the query ${name} in the explorer" title="Open in the explorer">${icons.query}</a>`; // prettier-ignore
  return `<form class="example" data-variables="${escapeHtml(variables)}"${list === undefined ? '' : ` data-list="${list}"`} aria-label="Example of ${name}">
<div class="code"><div class="code-head"><span class="title">GraphQL</span>${link}<button type="button" class="icon" data-copy aria-label="Copy" title="Copy">${icons.copy}</button><button type="submit" class="send">${icons.play}Run</button></div>
${renderPre(query, 'graphql', ' data-document')}${list === undefined ? '' : renderPre(variables, 'json', ' class="variables" data-graphql-variables')}</div>
</form>`;
}

function renderTypeEntry(entry: SchemaEntry, around: Surroundings): string {
  const { id, group, kind, node, scope, members } = entry;
  const interfaces = 'interfaces' in node ? (node.interfaces ?? []) : [];
  const implemented = interfaces.map(({ name: { value } }) => `<a href="#${value}">${value}</a>`).join(', ');
  const users = [...new Set(around.usedBy.get(id) ?? [])];
  const used = users.slice(0, 12).map((user) => `<a class="chip" href="#${user}">${user.replace('Query.', '')}</a>`);
  const [list] = users.flatMap((user) => (user.startsWith('Query.') ? [user.slice('Query.'.length)] : []));
  const heading = group === 'Enums' ? 'Values' : 'Fields';
  const exampleOf = (member: MemberNode): string => {
    if (!id.endsWith('Filter') || list === undefined || !('type' in member)) return '';
    const field = member.name.value;
    const condition = `${field}: ${exampleValue(around.schema, member.type, field)}`;
    const link = around.explorer === undefined ? '' : ` <a href="${around.explorer}#query=${encodeURIComponent(filterExample(list, condition))}">Open in the explorer</a>`; // prettier-ignore
    return `<p class="values"><code>filter: { ${escapeHtml(condition)} }</code>${link}</p>`;
  };
  return `<details class="fold entry" id="${id}" data-group="GraphQL" data-kind="${kind}"><summary>${icons.right}<b class="mono-h">${id}</b> <span class="kind">${kind}</span>${scopeChips(scope)}</summary>
<div class="lead">${renderText(node)}</div>
${implemented === '' ? '' : `<p class="used"><span>Implements</span> ${implemented}</p>`}${used.length === 0 ? '' : `<p class="used"><span>Used by</span> ${used.join(' ')}</p>`}
${members.length === 0 ? '' : `<h3>${heading} <span class="count">${members.length}</span></h3><ul class="rows">${members.map((member) => renderMember(id, member, exampleOf(member))).join('')}</ul>`}
</details>`;
}

function renderMember(parent: string, node: MemberNode, example = ''): string {
  const { value: name } = node.name;
  const id = `${parent}.${name}`;
  const scope = argumentOf(node, 'requiresScopes');
  const deprecation = argumentOf(node, 'deprecated');
  const notes = [defaultOf(node), scope && `scope ${scope}`].filter(Boolean).join(', ');
  const inner = ('arguments' in node ? (node.arguments ?? []) : []).map((one) => `<div><dt><code>${one.name.value}</code> ${renderType(one.type)}${one.defaultValue ? ` <span class="null">${defaultOf(one)}</span>` : ''}</dt><dd>${renderText(one)}</dd></div>`); // prettier-ignore
  return `<li class="row" id="${id}" data-group="GraphQL" data-kind="${'type' in node ? 'field' : 'enum'}" data-name="${id.replace(/^Query\.(\w+)\.(\w+)/, '$1($2)')}"><div class="row-head"><a class="name" href="#${id}">${name}</a>${'type' in node ? renderType(node.type) : ''}${notes && `<span class="more-type">${notes}</span>`}</div><p>${renderText(node)}</p>${deprecation === undefined ? '' : `<p><strong>Deprecated:</strong> ${renderInline(deprecation)}</p>`}${inner.length === 0 ? '' : `<dl class="args">${inner.join('')}</dl>`}${example}</li>`;
}

const defaultOf = (node: MemberNode): string =>
  'defaultValue' in node && node.defaultValue ? `default ${print(node.defaultValue)}` : '';
