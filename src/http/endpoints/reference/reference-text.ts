import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorStatus } from '../../../errors/codes';
import type { ErrorCode } from '../../../errors/codes';
import { errorExplanations } from '../../../errors/error-explanations';
import type { OpenApiDocument } from './openapi';
import type { OperationReference, ParameterReference } from './operation-reference';
import { callOf, writeCall } from './example-call';
import { readOperationReferences } from './operation-reference';
import { pathPrefixOf, withAddresses } from '../../../common/public-url';
import { routes } from '../../routes';

/** A section of the reference, the source of its Markdown and its page. */
export interface Section {
  readonly id: string;
  /** The heading in the navigation. */
  readonly group: 'Start' | 'Operations' | 'Guides' | 'Reference';
  readonly title: string;
  /** Without the heading; headings below it begin at the third level. */
  readonly markdown: string;
  /** The page shows a console in place of its examples. */
  readonly operation?: OperationReference;
}

/** The whole reference of one installation. */
export interface ReferenceText {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly publicUrl: string;
  readonly sections: readonly Section[];
}

/** @param document As served: with the URLs of the installation */
export function readReferenceText(publicUrl: string, document: OpenApiDocument): ReferenceText {
  const guides = readGuides(publicUrl);
  const operations = readOperationReferences(document).map((operation): Section => {
    const { operationId: id, summary } = operation;
    const title = `${id}: ${lowerFirst(summary)}`;
    return { id, group: 'Operations', title, markdown: describeOperation(operation, publicUrl), operation };
  });
  const guidesOf = (group: Section['group']) => guides.filter((guide) => guide.group === group);
  return {
    title: document.info.title,
    version: document.info.version,
    summary: document.info.summary,
    publicUrl,
    sections: [
      ...guidesOf('Start'),
      ...operations,
      ...guidesOf('Guides'),
      {
        id: 'rules',
        group: 'Reference',
        title: 'Rules for all operations',
        markdown: document.info.description.trim(),
      },
      { id: 'errors', group: 'Reference', title: 'Errors', markdown: describeErrors() },
    ],
  };
}

const startIds: ReadonlySet<string> = new Set(['first-call', 'credentials', 'token-endpoint']);

function readGuides(publicUrl: string): Section[] {
  const text = withAddresses(readFileSync(join(__dirname, 'guides.md'), 'utf8'), publicUrl);
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      const title = part.slice(0, end);
      const id = title.toLowerCase().replaceAll(' ', '-');
      return { id, group: startIds.has(id) ? 'Start' : 'Guides', title, markdown: part.slice(end).trim() };
    });
}

function describeOperation(operation: OperationReference, publicUrl: string): string {
  const { path, scope, description, parameters, responses } = operation;
  const rows = parameters.map((each) => [parameterName(each), each.in, each.type, each.description]);
  return [
    `\`GET ${pathPrefixOf(publicUrl)}${path}\`, scope \`${scope}\``,
    description.trim(),
    toTable(['parameter', 'in', 'type', 'meaning'], rows),
    toTable(
      ['status', 'meaning'],
      Object.entries(responses).map(([status, { description: meaning }]) => [status, meaning]),
    ),
  ].join('\n\n');
}

const parameterName = ({ name, required }: ParameterReference): string => `\`${name}\`${required ? ' (required)' : ''}`;

/** Before and after the codes. */
const aboutErrors = [
  'In REST, every 4xx and 5xx response is `{"error": {"code", "message"}}`. GraphQL uses the same codes in `extensions.code`: requests rejected as a whole have the status below, field errors come with the data and status 200. Match on the code and show `message` to users. Codes are never renamed.',
  'GraphQL documents that cannot be executed return the standard codes of Apollo Server: `GRAPHQL_PARSE_FAILED` and `GRAPHQL_VALIDATION_FAILED` (correct the document), `PERSISTED_QUERY_NOT_FOUND` (send the full query once). If the service accepts only trusted documents, the text of any other document is rejected with `PERSISTED_QUERY_ID_REQUIRED`.',
] as const;

const describeErrors = (): string =>
  [
    aboutErrors[0],
    toTable(
      ['code', 'status', 'cause', 'remedy'],
      Object.entries(errorExplanations).map(([code, { cause, remedy }]) => [
        `\`${code}\``,
        String(errorStatus[code as ErrorCode]),
        cause,
        remedy,
      ]),
    ),
    aboutErrors[1],
  ].join('\n\n');

/** The examples of an operation, for readers without the console. */
function describeTwins(publicUrl: string, operation: OperationReference): string {
  const { document, exampleVariables, exampleResponse } = operation;
  return [
    toFence('sh', writeCall('curl', callOf(operation, publicUrl))),
    toFence('json', JSON.stringify(exampleResponse, null, 2)),
    `The equivalent GraphQL operation with its variables. Sent to \`${pathPrefixOf(publicUrl)}${routes.graphql.path}\`, it returns the same objects:`,
    toFence('graphql', document),
    toFence('json', JSON.stringify(exampleVariables, null, 2)),
  ].join('\n\n');
}

/** The reference as one Markdown document. */
export function toReferenceMarkdown({ title, version, summary, publicUrl, sections }: ReferenceText): string {
  const parts = sections.map(({ title: heading, markdown, operation }) =>
    [`## ${heading}`, markdown, ...(operation === undefined ? [] : [describeTwins(publicUrl, operation)])].join('\n\n'),
  );
  return `${directive(publicUrl)}${[`# ${title} ${version}`, `${summary} At ${publicUrl}.`, ...parts].join('\n\n')}\n`;
}

export interface Link {
  /** In the JSON index. */
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly meaning: string;
}

/** The documents for programs, with descriptions. */
const documents: readonly Link[] = [
  { key: 'reference', name: 'Reference', path: routes.referenceMarkdown.path, meaning: 'every operation with its parameters, responses and GraphQL equivalent; guides and errors' },
  { key: 'graphql', name: 'GraphQL schema', path: routes.graphqlReferenceMarkdown.path, meaning: 'every type, field, argument and scope, with descriptions' },
  { key: 'changelog', name: 'Changelog', path: routes.changelogMarkdown.path, meaning: 'what changed, by version' },
]; // prettier-ignore

const instructions = `- Read the reference before you write a request. Parameters are strict; errors say what was expected.
- Every request needs an API key of the shop. Keys are secrets: read them from the environment, never put them in code.
- Paginate with the cursor from the response until \`has_more\` is false. Never construct cursors.
- After a 429 or 503, wait the number of seconds in \`Retry-After\`. Match on error codes, not on messages.
- To keep a copy of a shop, export it once, then follow the change feed instead of rereading lists.`;

/**
 * An index for language models, in the form of https://llmstxt.org: what to read, how to behave, and where things are.
 */
export const toLlmsText = ({ title, summary, publicUrl, sections }: ReferenceText, links: readonly Link[]): string =>
  `${[
    `# ${title}`,
    `> ${summary}`,
    introduction,
    '## Documents',
    toList(documents, publicUrl),
    '## Instructions',
    instructions,
    '## First call',
    sections.find(({ id }) => id === 'first-call')?.markdown ?? '',
    '## Endpoints',
    links.map(({ name, path, meaning }) => `- \`${path}\` (${name}): ${meaning}`).join('\n'),
  ].join('\n\n')}\n`;

/** Prefix of each document for programs, with a link to the index. */
export const directive = (publicUrl: string): string =>
  `> Index of the API documents, with instructions for language models: ${publicUrl}${routes.llms.path}\n\n`;

const introduction =
  'The GraphQL schema contains everything. The five REST operations are fixed documents on top of it, with the same scopes, limits and error codes. Each credential belongs to one shop and reads only that shop.';

const toList = (links: readonly Link[], base: string): string =>
  links.map(({ name, path, meaning }) => `- [${name}](${base}${path}): ${meaning}`).join('\n');

const toFence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('\n', ' ').trim().replaceAll('|', '\\|')).join(' | ')} |`;
  return [toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n');
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
