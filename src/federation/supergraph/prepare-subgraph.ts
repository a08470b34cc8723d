import type { ConstDirectiveNode, ConstValueNode, DocumentNode } from 'graphql';
import { Kind, visit } from 'graphql';
import type { LinkedFeature } from '../linked-features';
import { readLinkedFeatures, specsOrigin } from '../linked-features';
import { argumentOf, toText, withArguments } from '../sdl-nodes';

/** The newest version that the composer knows, and everything that it defines. */
const newestMinor = 9;
const known: ReadonlySet<string> = new Set([
  '@key', '@requires', '@provides', '@external', '@shareable', '@extends', '@override', '@inaccessible', '@tag', 'FieldSet',
  '@composeDirective', '@interfaceObject', '@authenticated', '@requiresScopes', 'Scope', '@policy', 'Policy', '@context',
  '@fromContext', 'ContextFieldValue', '@cost', '@listSize', '@link', 'Import', 'Purpose', '@federation',
]); // prettier-ignore

const federation = `${specsOrigin}/federation`;

/**
 * Rewrites what the composer refuses although it is valid:
 * - a newer version 2 of Federation becomes the newest supported one if nothing newer is used;
 * - single values of `@requiresScopes` and `@policy` become the lists that they stand for (GraphQL 3.11).
 * @throws Error that names the element of a newer version.
 */
export function prepareSubgraph(document: DocumentNode): DocumentNode {
  const links = readLinkedFeatures(document).filter(({ identity }) => identity === federation);
  const newer = links.filter(isNewer);
  for (const link of newer) for (const element of link.imports.values()) refuseUnknown(element, link);
  const lists = new Map<string, string>();
  for (const { namespace, imports } of links) {
    for (const [element, argument] of [['@requiresScopes', 'scopes'], ['@policy', 'policies']] as const) {
      lists.set(`${namespace}__${element.slice(1)}`, argument);
      for (const [local, name] of imports) if (name === element) lists.set(local.slice(1), argument);
    }
  } // prettier-ignore
  return visit(document, {
    Directive(node) {
      const directive = node as ConstDirectiveNode;
      const name = directive.name.value;
      for (const link of newer) {
        const prefix = `${link.namespace}__`;
        if (name.startsWith(prefix)) refuseUnknown(`@${name.slice(prefix.length)}`, link);
        if (directive.arguments?.some(({ value }) => isText(value, link.url))) return lowered(directive, link);
      }
      const argument = lists.get(name);
      return argument === undefined ? undefined : withLists(directive, argument);
    },
  });
}

const isNewer = ({ version }: LinkedFeature): boolean => Number(/^v2\.(\d+)$/.exec(version ?? '')?.[1]) > newestMinor;

function refuseUnknown(element: string, { version }: LinkedFeature): void {
  if (known.has(element)) return;
  throw new Error(
    `UNSUPPORTED_FEDERATION_ELEMENT: ${element} of Federation ${version} is not supported; expected elements of v2.0 to v2.${newestMinor}`,
  );
}

const isText = (value: ConstValueNode, text: string): boolean => value.kind === Kind.STRING && value.value === text;

const lowered = (directive: ConstDirectiveNode, { url }: LinkedFeature): ConstDirectiveNode => {
  const written = directive.arguments?.find(({ value }) => isText(value, url))?.name.value ?? 'url';
  return withArguments(directive, { [written]: toText(`${federation}/v2.${newestMinor}`) });
};

function withLists(directive: ConstDirectiveNode, name: string): ConstDirectiveNode {
  const value = argumentOf(directive, name);
  if (value === undefined) return directive;
  return withArguments(directive, { [name]: toList(toItems(value).map((all) => toList(toItems(all)))) });
}

const toItems = (value: ConstValueNode): readonly ConstValueNode[] =>
  value.kind === Kind.LIST ? value.values : [value];
const toList = (values: readonly ConstValueNode[]): ConstValueNode => ({ kind: Kind.LIST, values });
