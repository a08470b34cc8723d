import { feedTypes, listChanges } from '../../../../rest/feed/listChanges';
import type { QueryParameters, RestOperation } from '../../../../rest/operation';
import { operations, readOperationDocument } from '../../../../rest/operations';
import type { Scope } from '../../../auth/principal';
import { ApiError } from '../../../errors/api-error';
import type { AnswerRequest, Graph } from '../../../graph/graph';
import { createChangesReader } from '../changes/read-changes';
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema, Reference } from '../reference/openapi';
import { resolve } from '../reference/openapi';
import { fitAnswer, sizeProperties } from './fit-answer';
import type { JsonSchema, Tool, ToolArguments } from './tool';
import { readTexts, toParameter } from './tool';

/** `listProducts` → `list_products`. */
const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Runs a prepared document and returns its body as an object. */
export async function readAnswer(graph: Graph, request: Omit<AnswerRequest, 'knownTags'>): Promise<object> {
  const { body } = await graph.answer({ ...request, knownTags: [] });
  if (body === undefined) throw new Error('No body is left out where no tags are known.');
  const bytes = Buffer.isBuffer(body) ? body : Buffer.concat(await collect(body.chunks));
  return JSON.parse(bytes.toString()) as object;
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

/** The tools of the REST operations: their documents, and the schemas of their OpenAPI document. */
export function createOperationTools(graph: Graph, openApi: OpenApiDocument): readonly Tool[] {
  return operations.map((operation): Tool => {
    const described = openApi.paths[operation.path]?.get as OpenApiOperation;
    const prepared = graph.prepare(readOperationDocument(operation.operationId), operation.toBody);
    const inputs = described.parameters
      .map((parameter) => resolve(openApi, parameter))
      .filter(({ in: location }) => location !== 'header')
      .map((parameter) => ({ ...parameter, argument: toSnakeCase(parameter.name) }));
    const response = resolve(openApi, described.responses['200'] as NonNullable<OpenApiOperation['responses'][string]>);
    const schema = response.content?.['application/json']?.schema as OpenApiSchema | Reference;
    return {
      name: toSnakeCase(operation.operationId),
      title: described.summary,
      description: firstSentence(described.description),
      scopes: described.security.flatMap((scheme) => (scheme['oauth2'] ?? []) as readonly Scope[]),
      properties: {
        ...Object.fromEntries(
          inputs.map(({ argument, description, schema: type }) => [
            argument,
            { ...toCompactSchema(openApi, type), description: firstSentence(description) },
          ]),
        ),
        ...(inputs.length > 0 && sizeProperties(membersOf(openApi, schema))),
      },
      required: inputs.filter(({ required }) => required).map(({ argument }) => argument),
      outputSchema: toOutline(openApi, schema, inputs.length > 0),
      run: (principal, given) =>
        fitAnswer(async (limit) => {
          const variables = readVariables(operation, limit === undefined ? given : { ...given, limit });
          return (await readAnswer(graph, { operation: prepared, principal, variables })) as { data: unknown };
        }, given),
    };
  });
}

/** The change feed, page by page. */
export function createChangesTool(graph: Graph): Tool {
  const readChanges = createChangesReader(graph);
  return {
    name: 'list_changes',
    title: 'What changed',
    description: 'Objects that changed after a cursor, in their latest state, oldest change first.',
    scopes: ['catalog:read', 'orders:read'],
    properties: {
      after: { type: 'string', description: '`next_cursor` of the previous page, or `now`; all without it.' },
      types: { type: 'array', items: { enum: feedTypes } },
      limit: { type: 'integer', minimum: 1, maximum: 200 },
      ...sizeProperties(['type', 'id', 'external_id', 'deleted', 'object']),
    },
    outputSchema: pageOutline,
    run: (principal, given) =>
      fitAnswer(async (limit) => {
        const parameters = { ...given, types: readTexts(given, 'types')?.join() };
        const read = readVariables(listChanges, parameters);
        const variables = read instanceof ApiError || limit === undefined ? read : { ...read, first: limit, limit };
        return JSON.parse((await readChanges(principal, variables)).toString()) as { data: unknown };
      }, given),
  };
}

/** The variables of an operation's document, or what is wrong with an argument: thrown after FORBIDDEN (D1). */
function readVariables<Variables>(
  { readVariables: read }: RestOperation<Variables, never>,
  given: ToolArguments,
): Variables | ApiError {
  const query: QueryParameters = { get: (name) => toParameter(given, name) };
  try {
    return read({ path: { productId: String(given['product_id']) }, query });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const firstSentence = (text: string): string =>
  /^[^]*?[.:](?=\s|$)/.exec(text.trim())?.[0].replace(/:$/, '.').replaceAll('\n', ' ') ?? text.trim();

const pageOutline: JsonSchema = {
  type: 'object',
  properties: {
    data: { type: 'array', items: { type: 'object' } },
    has_more: { type: 'boolean' },
    next_cursor: { type: ['string', 'null'] },
  },
};

/** The schema of a parameter: all tools together have to leave a model room for its work. */
function toCompactSchema(document: OpenApiDocument, given: OpenApiSchema | Reference): JsonSchema {
  const { type, enum: words, minimum, maximum } = resolve(document, given);
  return {
    ...(words === undefined ? { type } : { enum: words }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

/**
 * The schema of an answer. The members of its objects are the choices of `fields`, or listed here where a tool has no
 * such argument.
 */
function toOutline(document: OpenApiDocument, given: OpenApiSchema | Reference, hasFields: boolean): JsonSchema {
  const { properties = {} } = resolve(document, given);
  const outline = (member: OpenApiSchema | Reference): JsonSchema => {
    const { type, items } = resolve(document, member);
    if (items !== undefined) return { type, items: { type: 'object' } };
    if (hasFields || type !== 'object') return { type };
    return { type, properties: Object.fromEntries(membersOf(document, given).map((name) => [name, {}])) };
  };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, outline(member)])),
  };
}

/** The names of the members of an answer's objects. */
function membersOf(document: OpenApiDocument, given: OpenApiSchema | Reference): readonly string[] {
  const { data } = resolve(document, given).properties ?? {};
  const objects = data && resolve(document, data);
  return Object.keys((objects?.items ? resolve(document, objects.items) : objects)?.properties ?? {});
}
