import {
  isTypeDefinitionNode,
  Kind,
  parse,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type ObjectTypeDefinitionNode,
  type TypeDefinitionNode,
  type TypeNode,
  print,
} from 'graphql';
import { routes } from '../../routes';
import { renderInline } from '../reference/render-markdown';
import { assetsPath, renderPage, type ShellFacts } from '../shell/render-shell';

/** An entry of the schema: a field of Query, or a type. */
interface SchemaEntry {
  readonly id: string;
  readonly group: (typeof groups)[number];
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly scope: string | undefined;
  /** Of a query: what it returns. */
  readonly type?: TypeNode;
  readonly members: readonly MemberEntry[];
  readonly interfaces: readonly string[];
}

interface MemberEntry {
  readonly name: string;
  readonly type: TypeNode | undefined;
  readonly description: string;
  readonly scope: string | undefined;
  readonly standard: string | undefined;
  readonly deprecation: string | undefined;
  readonly members: readonly MemberEntry[];
}

const groups = ['Queries', 'Types', 'Interfaces', 'Inputs', 'Enums', 'Scalars'] as const;

const kinds: Readonly<Partial<Record<TypeDefinitionNode['kind'], readonly [(typeof groups)[number], string]>>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: ['Types', 'type'],
  [Kind.UNION_TYPE_DEFINITION]: ['Types', 'union'],
  [Kind.INTERFACE_TYPE_DEFINITION]: ['Interfaces', 'interface'],
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: ['Inputs', 'input'],
  [Kind.ENUM_TYPE_DEFINITION]: ['Enums', 'enum'],
  [Kind.SCALAR_TYPE_DEFINITION]: ['Scalars', 'scalar'],
};

const textOf = (description: { readonly value: string } | undefined): string =>
  (description?.value ?? '').replaceAll('\n', ' ');

/** The argument of a directive as text, such as the scopes of `@requiresScopes(scopes: [["catalog:read"]])`. */
function argumentOf({ directives = [] }: Pick<ObjectTypeDefinitionNode, 'directives'>, directive: string): string | undefined {
  const found = directives.find(({ name }) => name.value === directive)?.arguments?.[0];
  if (found === undefined) return undefined;
  return [...print(found.value).matchAll(/"([^"]*)"/g)].map(([, text = '']) => text).join(' ');
} // prettier-ignore

const toMember = (node: FieldDefinitionNode | InputValueDefinitionNode): MemberEntry => ({
  name: node.name.value,
  type: node.type,
  description: textOf(node.description),
  scope: argumentOf(node, 'requiresScopes'),
  standard: node.kind === Kind.INPUT_VALUE_DEFINITION && node.defaultValue ? print(node.defaultValue) : undefined,
  deprecation: argumentOf(node, 'deprecated'),
  members: node.kind === Kind.FIELD_DEFINITION ? (node.arguments ?? []).map(toMember) : [],
});

/** Everything that the schema defines, in the order of its text; the fields of Query come first. */
export function readSchemaEntries(schema: string): readonly SchemaEntry[] {
  const types = parse(schema).definitions.filter(isTypeDefinitionNode);
  const query = types.find(({ name }) => name.value === 'Query') as ObjectTypeDefinitionNode;
  const queries = (query.fields ?? []).map((field): SchemaEntry => {
    const { name, description, scope, members, type } = toMember(field);
    const inherited = types.find((one) => one.name.value === nameOf(field.type));
    return {
      id: `Query.${name}`,
      group: 'Queries',
      name,
      kind: 'query',
      description,
      scope: scope ?? (inherited && argumentOf(inherited, 'requiresScopes')),
      ...(type && { type }),
      members,
      interfaces: [],
    };
  });
  const others = types
    .filter((type) => type !== query)
    .map((type): SchemaEntry => {
      const [group, kind] = kinds[type.kind] ?? ['Types', 'type'];
      const members =
        type.kind === Kind.ENUM_TYPE_DEFINITION
          ? (type.values ?? []).map((value) => ({ ...emptyMember, name: value.name.value, description: textOf(value.description), deprecation: argumentOf(value, 'deprecated') }))
          : 'fields' in type ? (type.fields ?? []).map(toMember) : [];
      const interfaces = 'interfaces' in type ? (type.interfaces ?? []).map(({ name }) => name.value) : [];
      return { id: type.name.value, group, name: type.name.value, kind, description: textOf(type.description), scope: argumentOf(type, 'requiresScopes'), members, interfaces };
    }); // prettier-ignore
  return [...queries, ...others];
}

const emptyMember = { type: undefined, scope: undefined, standard: undefined, members: [] } as const;

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

const standardScalars: ReadonlySet<string> = new Set(['String', 'Int', 'Boolean', 'ID', 'Float']);

/** A type as the schema writes it, with a link to what it names. */
function renderType(type: TypeNode): string {
  const name = nameOf(type);
  const text = print(type);
  return `<span class="type gt">${standardScalars.has(name) ? text : text.replace(name, `<a href="#${name}">${name}</a>`)}</span>`;
}

const aboutCosts = `An object in the answer is one point, and its plain fields are free. A list costs as many times what is selected of an object as its page may hold (\`first\` or \`last\`), so pages within pages multiply. An operation costs 10,000 points at most; one that costs more is refused before it runs, with the field where the cost arises. The header \`X-GraphQL-Cost: 1\` adds \`extensions.cost\` to the answer. How many calls a minute there are is not a matter of their cost.`;

/** The schema of the installation, for people: every query, type, input and enum. */
export function renderGraphqlReference(schema: string, facts: ShellFacts, demoKey: string | undefined): string {
  const entries = readSchemaEntries(schema);
  const shown = groups
    .map((group) => [group, entries.filter((entry) => entry.group === group)] as const)
    .filter(([, all]) => all.length > 0);
  const usedBy = new Map<string, string[]>();
  for (const { id, group, type, members } of entries) {
    const users = [...(type ? [[nameOf(type), id] as const] : []), ...members.flatMap((member) => (member.type ? [[nameOf(member.type), group === 'Queries' ? id : `${id}.${member.name}`] as const] : []))]; // prettier-ignore
    for (const [name, user] of users) usedBy.set(name, [...(usedBy.get(name) ?? []), user]);
  }
  const side = shown.map(
    ([group, all]) =>
      `<h2>${group}</h2><ul class="mono-list">${all.map(({ id, name }) => `<li><a href="#${id}">${name}</a></li>`).join('')}</ul>`,
  );
  return renderPage(facts, {
    title: 'GraphQL reference · Catalog Read API',
    description: 'Every query, type, input, enum and scalar of the schema, with the scope that it needs.',
    current: routes.graphqlReference.path,
    files: [`${assetsPath}/reference.css`],
    demoKey,
    navigation: `<nav class="side" aria-label="Schema"><h2>Start</h2><ul><li><a href="#costs">Costs</a></li></ul>${side.join('\n')}</nav>`,
    main: `<h1 class="sr">GraphQL reference</h1>
<article class="op wide" id="costs" aria-labelledby="costs-title"><div class="intro"><p class="crumb">Start</p><h2 id="costs-title">Costs</h2></div><div class="text"><div class="md"><p>${renderInline(aboutCosts)}</p></div></div></article>
${shown.flatMap(([, all]) => all.map((entry) => renderEntry(entry, usedBy.get(entry.id) ?? []))).join('\n')}`,
  });
}

function renderEntry(entry: SchemaEntry, users: readonly string[]): string {
  const { id, group, name, kind, description, scope, type, members, interfaces } = entry;
  const implemented = interfaces.map((one) => `<a href="#${one}">${one}</a>`).join(', ');
  const used = [...new Set(users)].slice(0, 12).map((user) => `<a class="chip" href="#${user}">${user.replace('Query.', '')}</a>`); // prettier-ignore
  const heading = group === 'Queries' ? 'Arguments' : group === 'Enums' ? 'Values' : 'Fields';
  return `<article class="op wide" id="${id}" aria-labelledby="${id}-title">
<div class="intro"><p class="crumb">${group}${implemented === '' ? '' : ` <span>/</span> implements ${implemented}`}</p>
<h2 class="mono-h" id="${id}-title">${name}</h2>
<p class="path"><span class="kind">${kind}</span>${type === undefined ? '' : renderType(type)}${scope === undefined ? '' : `<span class="chip" title="The scope that the key needs">${scope}</span>`}</p>
<div class="lead">${renderInline(description)}</div>
${used.length === 0 ? '' : `<p class="used"><span>Used by</span> ${used.join(' ')}</p>`}</div>
<div class="text">${members.length === 0 ? '' : `<h3>${heading} <span class="count">${members.length}</span></h3><ul class="rows">${members.map((member) => renderMember(id, member)).join('')}</ul>`}</div>
</article>`;
}

function renderMember(
  parent: string,
  { name, type, description, scope, standard, deprecation, members }: MemberEntry,
): string {
  const id = `${parent}.${name}`;
  const notes = [standard === undefined ? '' : `else ${standard}`, scope === undefined ? '' : `scope ${scope}`].filter((note) => note !== ''); // prettier-ignore
  const inner = members.map(({ name: argument, type: of, description: about, standard: otherwise }) => `<div><dt><code>${argument}</code> ${of ? renderType(of) : ''}${otherwise === undefined ? '' : ` <span class="null">else ${otherwise}</span>`}</dt><dd>${renderInline(about)}</dd></div>`); // prettier-ignore
  return `<li class="row" id="${id}"><div class="row-head"><a class="name" href="#${id}">${name}</a>${type ? renderType(type) : ''}${notes.length === 0 ? '' : `<span class="more-type">${notes.join(', ')}</span>`}</div><p>${renderInline(description)}</p>${deprecation === undefined ? '' : `<p><strong>Deprecated:</strong> ${renderInline(deprecation)}</p>`}${inner.length === 0 ? '' : `<dl class="args">${inner.join('')}</dl>`}</li>`;
}
