import { operations, readOperationDocument } from '../../../../rest/operations';
import type { Parameter } from '../../../../rest/operation';
import { readVariables } from '../../../../rest/operation';
import type { OpenApiDocument, OpenApiResponse, OpenApiSchema } from './openapi';

export interface ParameterReference {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  /** For people: `integer, 1 to 200, default 50`. */
  readonly type: string;
  readonly words: readonly string[] | undefined;
  readonly description: string;
  readonly example: string | undefined;
  /** Its row in the operation's table; undefined for headers. */
  readonly parameter: Parameter | undefined;
}

/** GraphQL variables without null members, which mean the same as absent ones. */
type Variables = Readonly<Record<string, unknown>>;

/** A member of a response, with its own members if it is an object or a list of objects. */
export interface MemberReference {
  readonly name: string;
  /** For people: `string`, `Product[]`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly description: string;
  readonly words: readonly string[] | undefined;
  readonly members: readonly MemberReference[];
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
  /** The members of a body of 200. */
  readonly answer: readonly MemberReference[];
  /** A body of 200. */
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
    const described = Object.values(document.paths).find(({ get }) => get.operationId === operationId)?.get;
    if (described === undefined) throw new Error(`The OpenAPI document does not describe ${operationId}.`);
    const parameters = described.parameters.map(({ schema, ...parameter }): ParameterReference => {
      return {
        name: parameter.name,
        in: parameter.in,
        isRequired: parameter.required,
        type: describeType(schema),
        words: schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined),
        description: parameter.description.replaceAll('\n', ' ').trim(),
        example: parameter.name === 'limit' ? exampleLimit : parameter.example?.toString(),
        parameter: operation.parameters.find(({ name }) => name === parameter.name),
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
    const success = described.responses['200'] as OpenApiResponse;
    return {
      operationId,
      summary: described.summary,
      description: described.description,
      path: `/v1${operation.path}`,
      scope: described.security.flatMap(({ oauth2 = [] }) => oauth2).join(' '),
      parameters,
      responses: Object.entries(described.responses).map(([status, { description }]) => ({ status, description })),
      answer: describeMembers(success.content?.['application/json']?.schema),
      exampleResponse: Object.values(success.content?.['application/json']?.examples ?? {})[0]?.value,
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

function describeMembers({ properties = {} }: OpenApiSchema = {}): readonly MemberReference[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { items } = schema;
    const types = [schema.type].flat().filter((type) => type !== 'null');
    return {
      name,
      type:
        items === undefined
          ? (schema.format ?? types.join(' or '))
          : `${items.refName ?? [items.type].flat().join('')}[]`,
      isNullable: [schema.type].flat().includes('null'),
      description: (schema.description ?? '').replaceAll('\n', ' ').trim(),
      words: schema.enum,
      members: describeMembers(items ?? schema),
    };
  });
}

function describeType({ type, format, enum: words, minimum, maximum, default: standard }: OpenApiSchema): string {
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`];
  const byDefault = standard === undefined ? [] : [`default ${standard}`];
  return [words === undefined ? (format ?? [type].flat().join(' or ')) : words.join(', '), ...range, ...byDefault].join(
    ', ',
  );
}
