import { operations } from '../../../../rest/operations';
import { readOperationDocument } from '../../../../rest/operation-document';
import type { OpenApiDocument, OpenApiParameter, OpenApiResponse, OpenApiSchema } from './openapi';
import { resolve } from './openapi';
import type { Variables, VariableTarget } from './twin';
import { defaultVariables, findTarget, toVariables, typeOf } from './twin';

export interface ParameterReference {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  /** For people: `integer, 1 to 200, default 50`. */
  readonly type: string;
  readonly words: readonly string[] | undefined;
  readonly description: string;
  readonly example: string | undefined;
  /** Headers fill no variable. */
  readonly target: VariableTarget | undefined;
}

/** One REST operation and the GraphQL operation that runs for it. */
export interface OperationReference {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** From the root: `/v1/products/{productId}`. */
  readonly path: string;
  readonly scope: string;
  readonly parameters: readonly ParameterReference[];
  readonly responses: readonly { readonly status: string; readonly description: string }[];
  /** A body of 200. */
  readonly exampleResponse: unknown;
  /** Values of the example call, by parameter name. */
  readonly exampleValues: Readonly<Record<string, string>>;
  readonly document: string;
  /** Of a call without parameters. */
  readonly variables: Variables;
  readonly exampleVariables: Variables;
}

/** How many objects the examples ask for: enough to see that it is a list. */
const exampleLimit = '2';

/** Everything that the reference says of the operations, from the document that is served and the documents that run. */
export function readOperationReferences(document: OpenApiDocument): readonly OperationReference[] {
  return operations.map((operation) => {
    const { operationId } = operation;
    const described = Object.values(document.paths).find(({ get }) => get.operationId === operationId)?.get;
    if (described === undefined) throw new Error(`The OpenAPI document does not describe ${operationId}.`);
    const parameters = described.parameters.map((each): ParameterReference => {
      const parameter = resolve<OpenApiParameter>(document, each);
      const schema = resolve<OpenApiSchema>(document, parameter.schema);
      return {
        name: parameter.name,
        in: parameter.in,
        isRequired: parameter.required,
        type: describeType(schema),
        words: schema.enum ?? (typeOf(schema) === 'boolean' ? ['true', 'false'] : undefined),
        description: parameter.description.replaceAll('\n', ' ').trim(),
        example: parameter.name === 'limit' ? exampleLimit : parameter.example?.toString(),
        target: parameter.in === 'header' ? undefined : findTarget(operation, parameter, schema),
      };
    });
    const targets = new Map(parameters.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target]])));
    const exampleValues = Object.fromEntries(
      parameters.flatMap(({ name, example, target }) =>
        example === undefined || target === undefined ? [] : [[name, example]],
      ),
    );
    const variables = defaultVariables(operation);
    return {
      operationId,
      summary: described.summary,
      description: described.description,
      path: `/v1${operation.path}`,
      scope: described.security.flatMap(({ oauth2 = [] }) => oauth2).join(' '),
      parameters,
      responses: Object.entries(described.responses).map(([status, each]) => ({
        status,
        description: resolve<OpenApiResponse>(document, each).description,
      })),
      exampleResponse: findExample(document, resolve<OpenApiResponse>(document, described.responses['200'] as never)),
      exampleValues,
      document: readOperationDocument(operationId).trimEnd(),
      variables,
      exampleVariables: toVariables(variables, targets, exampleValues),
    };
  });
}

function findExample(document: OpenApiDocument, { content }: OpenApiResponse): unknown {
  const [example] = Object.values(content?.['application/json']?.examples ?? {});
  if (example === undefined) return undefined;
  return resolve<{ readonly value: unknown }>(document, example).value;
}

function describeType({ type, format, enum: words, minimum, maximum, default: standard }: OpenApiSchema): string {
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`];
  const byDefault = standard === undefined ? [] : [`default ${standard}`];
  return [words === undefined ? (format ?? type) : words.join(', '), ...range, ...byDefault].join(', ');
}
