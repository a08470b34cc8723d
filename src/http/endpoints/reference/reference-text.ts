import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorStatus } from '../../../errors/codes';
import type { ErrorCode } from '../../../errors/codes';
import { errorExplanations } from '../../../errors/error-explanations';
import type { OpenApiDocument } from './openapi';
import type { OperationReference, ParameterReference } from './operation-reference';
import { readOperationReferences } from './operation-reference';
import { pathPrefixOf, withAddresses } from '../../../common/public-url';
import { routes } from '../../routes';

/** A part of the reference: what its Markdown and its page are both made from. */
export interface Section {
  readonly id: string;
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
  readonly scopes: readonly string[];
}

/** @param document As it is served: with the addresses of the installation */
export function readReferenceText(publicUrl: string, document: OpenApiDocument): ReferenceText {
  const guides = readGuides(publicUrl);
  const { oauth2 } = document.components.securitySchemes;
  const { scopes } = oauth2.flows.clientCredentials;
  const operations = readOperationReferences(document).map((operation): Section => {
    const { operationId: id, summary } = operation;
    return { id, title: `${id}: ${lowerFirst(summary)}`, markdown: describeOperation(operation, publicUrl), operation };
  });
  const [first, ...others] = guides;
  return {
    title: document.info.title,
    version: document.info.version,
    summary: document.info.summary,
    publicUrl,
    scopes: Object.keys(scopes),
    sections: [
      ...(first === undefined ? [] : [first]),
      ...operations,
      { id: 'token', title: 'The token endpoint', markdown: describeToken(publicUrl, oauth2.description, scopes) },
      ...others,
      { id: 'rules', title: 'Rules of all operations', markdown: document.info.description.trim() },
      { id: 'errors', title: 'Errors', markdown: describeErrors() },
    ],
  };
}

function readGuides(publicUrl: string): Section[] {
  const text = withAddresses(readFileSync(join(__dirname, 'guides.md'), 'utf8'), publicUrl);
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      const title = part.slice(0, end);
      return { id: title.toLowerCase().replaceAll(' ', '-'), title, markdown: part.slice(end).trim() };
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
      responses.map((each) => [each.status, each.description]),
    ),
  ].join('\n\n');
}

const parameterName = ({ name, isRequired }: ParameterReference): string =>
  `\`${name}\`${isRequired ? ' (required)' : ''}`;

const describeToken = (publicUrl: string, description: string, scopes: Readonly<Record<string, string>>): string =>
  [
    `\`POST ${pathPrefixOf(publicUrl)}${routes.token.path}\`, no scope`,
    description.trim(),
    'The body is form-encoded: `grant_type=client_credentials`, and `scope` with one or more scopes, separated by spaces. Without `scope` the token carries all scopes of the key.',
    toTable(
      ['scope', 'opens'],
      Object.entries(scopes).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    toFence(
      'sh',
      `curl -s -w '\\n' -u "\${KEY%%.*}:\${KEY#*.}" -d grant_type=client_credentials -d scope=catalog:read '${publicUrl}${routes.token.path}'`,
    ),
    'Errors have the form of RFC 6749, `{"error", "error_description"}`:',
    toTable(['error', 'status', 'cause', 'remedy'], tokenErrors),
  ].join('\n\n');

const tokenErrors = [
  [
    '`invalid_client`',
    '401',
    'Client id or secret is wrong, or the key is revoked or expired.',
    'Check both halves of the key.',
  ],
  [
    '`invalid_request`',
    '400, 405, 413, 415',
    'The form is malformed, a parameter is repeated, or the client authenticates in another way.',
    'Send a form-encoded POST with HTTP Basic.',
  ],
  ['`invalid_scope`', '400', 'A scope is unknown, or not one of the key.', 'Ask for scopes of the key.'],
  ['`unsupported_grant_type`', '400', '`grant_type` is not `client_credentials`.', 'Use the client credentials grant.'],
  [
    '`temporarily_unavailable`',
    '429, 503',
    'Too many failed attempts from one address, or the service is unavailable.',
    'Wait as `Retry-After` says.',
  ],
];

const describeErrors = (): string =>
  [
    'REST answers every 4xx and 5xx with `{"error": {"code", "message"}}`. GraphQL lists errors beside the data, with the same code in `extensions.code`. Match on the code; show `message` to people. Codes are never renamed.',
    toTable(
      ['code', 'status', 'cause', 'remedy'],
      Object.entries(errorExplanations).map(([code, { cause, remedy }]) => [
        `\`${code}\``,
        String(errorStatus[code as ErrorCode]),
        cause,
        remedy,
      ]),
    ),
    'A GraphQL document that cannot be run is reported with the standard codes of Apollo Server: `GRAPHQL_PARSE_FAILED` and `GRAPHQL_VALIDATION_FAILED` (correct the document), `PERSISTED_QUERY_NOT_FOUND` (send its text once).',
  ].join('\n\n');

/** The address of the example call; `$PRODUCT_ID` for a shell where the path needs an id that is not known. */
export function exampleTarget({ path, parameters, exampleValues }: OperationReference): string {
  let target = path;
  const query = new URLSearchParams();
  for (const { name, in: place, target: isVariable } of parameters) {
    const value = exampleValues[name];
    if (isVariable === undefined) continue;
    if (place === 'path') target = target.replace(`{${name}}`, value ?? shellName(name));
    else if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`;
}

const shellName = (name: string): string => `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

/** The examples of an operation, for readers without the console. */
function describeTwins(publicUrl: string, operation: OperationReference): string {
  const { document, exampleVariables, exampleResponse } = operation;
  return [
    toFence('sh', `curl -s -w '\\n' -H "Authorization: Bearer $KEY" "${publicUrl}${exampleTarget(operation)}"`),
    toFence('json', JSON.stringify(exampleResponse, null, 2)),
    `The GraphQL operation that runs for it, with the variables of this call. Sent to \`${pathPrefixOf(publicUrl)}${routes.graphql.path}\`, it returns the same objects:`,
    toFence('graphql', document),
    toFence('json', JSON.stringify(exampleVariables, null, 2)),
  ].join('\n\n');
}

/** The reference as one Markdown document. */
export function toReferenceMarkdown({ title, version, summary, publicUrl, sections }: ReferenceText): string {
  const parts = sections.map(({ title: heading, markdown, operation }) =>
    [`## ${heading}`, markdown, ...(operation === undefined ? [] : [describeTwins(publicUrl, operation)])].join('\n\n'),
  );
  return `${[`# ${title} ${version}`, `${summary} At ${publicUrl}.`, ...parts].join('\n\n')}\n`;
}

export interface Link {
  /** In the JSON index. */
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly meaning: string;
  /** Where a person is led instead, if a browser's visit of the path shows nothing to them. */
  readonly explainedAt?: string;
}

/** The front page as Markdown, in the form of https://llmstxt.org. */
export const toLlmsText = ({ title, summary, publicUrl, sections }: ReferenceText, links: readonly Link[]): string =>
  `${[
    `# ${title}`,
    `> ${summary}`,
    introduction,
    sections.find(({ id }) => id === 'first-call')?.markdown ?? '',
    '## Where things are',
    toList(links, publicUrl),
  ].join('\n\n')}\n`;

export const introduction =
  'One GraphQL schema contains everything; five REST operations are fixed documents over it, under the same scopes, limits and error codes. Every credential belongs to one shop and reads only that shop.';

export const toList = (links: readonly Link[], base: string): string =>
  links.map(({ name, path, meaning }) => `- [${name}](${base}${path}): ${meaning}`).join('\n');

const toFence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('\n', ' ').trim().replaceAll('|', '\\|')).join(' | ')} |`;
  return [toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n');
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
