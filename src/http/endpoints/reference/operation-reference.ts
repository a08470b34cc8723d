import { operations, readOperationDocument } from '../../../../rest/operations';
import type { Parameter } from '../../../../rest/operation';
import { readVariables } from '../../../../rest/operation';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiSchema } from './openapi';

export interface ParameterReference extends Omit<OpenApiParameter, 'example'> {
  /** For people: `integer, 1 to 200, default 50`. */
  readonly type: string;
  readonly words: readonly string[] | undefined;
  readonly example: string | undefined;
  /** Its row in the operation's table; undefined for headers. */
  readonly parameter: Parameter | undefined;
}

/** GraphQL variables without null members, which mean the same as absent ones. */
type Variables = Readonly<Record<string, unknown>>;

/** One REST operation and the GraphQL operation that runs for it. */
export interface OperationReference extends Omit<OpenApiOperation, 'parameters'> {
  /** From the root: `/v1/products/{productId}`. */
  readonly path: string;
  readonly scope: string;
  readonly parameters: readonly ParameterReference[];
  /** The schema of a body of 200, and an example. */
  readonly answer: OpenApiSchema;
  readonly exampleResponse: unknown;
  /** Values of the example call, by parameter name. */
  readonly exampleValues: Readonly<Record<string, string>>;
  readonly document: string;
  /** The variables of a call without parameters. */
  readonly variables: Variables;
  readonly exampleVariables: Variables;
}

/** The number of objects in examples: enough to show that it is a list. */
const exampleLimit = '2';

/**
 * Everything that the reference says about the operations, from the served OpenAPI document and the documents that run.
 */
export function readOperationReferences(document: OpenApiDocument): readonly OperationReference[] {
  return operations.map((operation) => {
    const { operationId } = operation;
    const described = document.paths[operation.path]?.get as OpenApiOperation;
    const parameters = described.parameters.map((parameter): ParameterReference => {
      const { name, schema, example } = parameter;
      return {
        ...parameter,
        type: describeType(schema),
        words: schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined),
        example: name === 'limit' ? exampleLimit : example?.toString(),
        parameter: operation.parameters.find((each) => each.name === name),
      };
    });
    const exampleValues = Object.fromEntries(
      parameters.flatMap(({ name, example, parameter }) =>
        example === undefined || parameter === undefined ? [] : [[name, example]],
      ),
    );
    const variablesOf = (values: Readonly<Record<string, string>>): Variables =>
      withoutAbsent(
        readVariables(operation.parameters, {
          path: values,
          query: { get: (name) => (values[name] === undefined ? undefined : [values[name]]) },
        }),
      ) as Variables;
    const { schema = {}, examples = {} } = described.responses['200']?.content?.['application/json'] ?? {};
    return {
      ...described,
      path: `/v1${operation.path}`,
      scope: described.security.flatMap(({ oauth2 = [] }) => oauth2).join(' '),
      parameters,
      answer: schema,
      exampleResponse: Object.values(examples)[0]?.value,
      exampleValues,
      document: readOperationDocument(operationId).trimEnd(),
      variables: variablesOf({}),
      exampleVariables: variablesOf(exampleValues),
    };
  });
}

/** Empty objects, and the empty text of a missing path parameter, also count as absent. */
function withoutAbsent(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutAbsent(member)] as const)
    .filter(([, member]) => member !== null && member !== '' && JSON.stringify(member) !== '{}');
  return Object.fromEntries(members);
}

function describeType({ type, format, enum: words, minimum, maximum, default: standard }: OpenApiSchema): string {
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`];
  const byDefault = standard === undefined ? [] : [`default ${standard}`];
  return [words === undefined ? (format ?? [type].flat().join(' or ')) : words.join(', '), ...range, ...byDefault].join(
    ', ',
  );
}
