import { shorten } from '../../../common/one-line';
import { aboutCosts, readSchemaEntries } from '../graphql-reference/render-graphql-reference';
import { routes } from '../../routes';
import type { MemberReference } from './operation-reference';
import type { Link, ReferenceText } from './reference-text';
import { errorStatus, type ErrorCode } from '../../../errors/codes';
import { errorExplanations } from '../../../errors/error-explanations';
import { toWords } from './render-reference';

/** An entry of the page search. */
interface SearchEntry {
  readonly group: 'REST' | 'GraphQL' | 'Guides' | 'Errors' | 'Pages';
  readonly name: string;
  readonly text: string;
  /** Its kind, in a word or two. */
  readonly kind: string;
  /** From the root of the service. */
  readonly path: string;
  /** Further text that it is found by. */
  readonly more?: string;
  /** Shown before the user types. */
  readonly isFirst?: true;
}

const cut = (text: string): string => shorten(text, 140).replaceAll('`', '');

/** All headings, parameters, members, codes, types, fields and pages. */
export function createSearchIndex({ sections }: ReferenceText, schema: string, links: readonly Link[]): readonly SearchEntry[] {
  const reference = routes.reference.path.slice(1);
  const graphql = routes.graphqlReference.path.slice(1);
  const membersOf = (operationId: string, at: string, members: readonly MemberReference[]): readonly SearchEntry[] =>
    members.flatMap(({ name, description, members: inner }) => [
      { group: 'REST' as const, name, text: cut(description), kind: `response of ${operationId}`, path: `${reference}#${at}.${name}` },
      ...membersOf(operationId, `${at}.${name}`, inner),
    ]); // prettier-ignore
  const ofReference = sections.flatMap(({ id, title, group, markdown, operation }): readonly SearchEntry[] => {
    if (operation === undefined)
      return [{ group: 'Guides', name: title, text: cut(markdown.replaceAll('\n', ' ')), more: markdown, kind: group.toLowerCase(), path: `${reference}#${id}`, isFirst: true }]; // prettier-ignore
    return [
      { group: 'REST', name: toWords(id), text: cut(operation.summary), more: markdown, kind: `GET ${operation.path}`, path: `${reference}#${id}`, isFirst: true },
      ...operation.parameters.map(({ name, description }): SearchEntry => ({ group: 'REST', name, text: cut(description), kind: `parameter of ${id}`, path: `${reference}#${id}.${name}` })),
      ...membersOf(id, `${id}.answer`, operation.answer),
    ]; // prettier-ignore
  });
  const codes = Object.entries(errorExplanations).map(([code, { cause, remedy }]): SearchEntry => ({ group: 'Errors', name: `${errorStatus[code as ErrorCode]} ${code}`, text: cut(cause), more: remedy, kind: 'error', path: `${reference}#${code}` })); // prettier-ignore
  const ofSchema = readSchemaEntries(schema).flatMap(({ id, name, kind, description, members }): readonly SearchEntry[] => [
    { group: 'GraphQL', name, text: cut(description), kind, path: `${graphql}#${id}`, ...(kind === 'query' && { isFirst: true }) },
    ...members.map((member): SearchEntry => ({ group: 'GraphQL', name: kind === 'query' ? `${name}(${member.name})` : `${name}.${member.name}`, text: cut(member.description), kind: kind === 'query' ? 'argument' : kind, path: `${graphql}#${id}.${member.name}` })),
  ]); // prettier-ignore
  const pages = links.map(({ name, path, meaning }): SearchEntry => ({ group: 'Pages', name, text: meaning, kind: path, path: path.slice(1) })); // prettier-ignore
  const ofCosts: SearchEntry = { group: 'Guides', name: 'Query cost', text: cut(aboutCosts), more: aboutCosts, kind: 'graphql', path: `${graphql}#costs` }; // prettier-ignore
  return [...ofReference, ofCosts, ...codes, ...pages, ...ofSchema];
} // prettier-ignore
