import { readOpenApiDocument } from '../../rest/openapi-document';
import type { RestOperation, Parameter } from '../../rest/operation';
import { operations } from '../../rest/operations';
import { readVariables } from '../../rest/operation';
import { createOperationTools } from '../../src/http/endpoints/mcp/tools';
import { withoutReferences } from '../../src/http/endpoints/reference/openapi';
import { readOperationReferences } from '../../src/http/endpoints/reference/operation-reference';
import type { Graph } from '../../src/graph/create-graph';

const document = withoutReferences(readOpenApiDocument({ publicUrl: 'http://localhost', environment: 'test' }));
const references = readOperationReferences(document);
const tools = createOperationTools({ prepare: () => ({}) } as unknown as Graph, document);

const rows = operations.flatMap((operation) =>
  operation.parameters.map((parameter) => ({
    operation,
    parameter,
    name: `${operation.operationId} ${parameter.name}`,
  })),
);

const read = ({ parameters }: RestOperation, name: string, values: readonly string[]) =>
  readVariables(parameters, {
    path: { [name]: values[0] ?? '' },
    query: { get: (asked) => (asked === name ? values : undefined) },
  });

/** Texts that each kind of rule accepts, with their values, and texts that it refuses (D4). */
const casesOf = ({ name, rule, in: place }: Parameter): readonly [text: string, value: unknown][] => {
  if (rule.type === 'integer')
    return [['1', 1], ['200', 200], ...refused('0', '201', '007', '1.0', '+1', ' 1', '1e2', '')];
  if (rule.type === 'boolean') return [['true', true], ['false', false], ...refused('TRUE', '1', '')];
  if (name === 'status') return [['ACTIVE', 'ACTIVE'], ['ARCHIVED', 'ARCHIVED'], ...refused('active', 'ACTIVE ', '')];
  if (name === 'cursor') return [['AXS', 'AXS'], ...refused('')];
  const texts = ['mug', ' ', 'É & "%', '0', 'true', 'null', ...(place === 'path' ? [] : [''])];
  return texts.map((text) => [text, text]);
};
const refused = (...texts: string[]): [string, unknown][] => texts.map((text) => [text, undefined]);

describe.each(rows)('$name', ({ operation, parameter }) => {
  const { name, fills, rule } = parameter;
  const valueIn = (variables: unknown) =>
    fills.reduce<unknown>((value, member) => (value as Record<string, unknown>)[member], variables);

  it.each(casesOf(parameter))('is read by its rule: %j', (text, value) => {
    if (value !== undefined) return expect(valueIn(read(operation, name, [text]))).toBe(value);
    const error: unknown = expect.objectContaining({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(`^${name}: expected `) as string,
    });
    expect(() => read(operation, name, [text])).toThrow(error as Error);
  });

  it('may be given once', () => {
    if (parameter.in !== 'path')
      expect(() => read(operation, name, ['1', '1'])).toThrow(`${name}: expected at most one`);
  });

  it('is in the OpenAPI document, in the arguments of its tool and in the form of the console', () => {
    const described = document.paths[operation.path]?.get.parameters;
    expect(described?.find((one) => one.name === name)).toMatchObject({
      in: parameter.in ?? 'query',
      required: parameter.in === 'path',
      description: parameter.description,
      ...(rule.schema?.['$ref'] ? {} : { schema: { type: rule.type, ...rule.schema } }),
    });
    const snake = (camel: string) => camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const tool = tools.find((one) => one.name === snake(operation.operationId));
    expect(tool?.inputSchema.properties[snake(name)]).toMatchObject({ type: rule.type });
    const reference = references.find(({ operationId }) => operationId === operation.operationId);
    expect(reference?.parameters.find((one) => one.name === name)?.parameter).toBe(parameter);
  });
});
