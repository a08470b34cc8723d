import type { RestOperation } from '../../../../rest/operation';
import type { OpenApiParameter, OpenApiSchema } from './openapi';

/** How the console turns the text of a parameter into the value of a variable. */
export type VariableType = 'text' | 'integer' | 'boolean';

/** A variable of an operation's document that a REST parameter fills. */
export interface VariableTarget {
  /** Members that lead to it: `filter`, `productType`. */
  readonly path: readonly string[];
  readonly type: VariableType;
}

/** GraphQL variables without null members, which mean the same as absent ones. */
export type Variables = Readonly<Record<string, unknown>>;

const probes: Readonly<Record<VariableType, string>> = { text: 'probe', integer: '137', boolean: 'true' };

export const typeOf = ({ type }: OpenApiSchema): VariableType =>
  type === 'integer' || type === 'boolean' ? type : 'text';

/** The variables of a call without parameters. */
export const defaultVariables = (operation: RestOperation): Variables => readVariables(operation, undefined);

/**
 * Where the operation puts a parameter. Its own code answers that: a value is read, and looked for among the variables.
 * So nothing here has to change when a parameter moves.
 */
export function findTarget(
  operation: RestOperation,
  parameter: OpenApiParameter,
  schema: OpenApiSchema,
): VariableTarget {
  const type = typeOf(schema);
  const text = schema.enum?.at(-1) ?? probes[type];
  const path = findPath(readVariables(operation, { parameter, text }), toVariable(type, text));
  if (path === undefined) throw new Error(`${operation.operationId} leaves ${parameter.name} out of its variables.`);
  return { path, type };
}

/** The variables of a call with these values, by parameter name. */
export function toVariables(
  base: Variables,
  targets: ReadonlyMap<string, VariableTarget>,
  values: Readonly<Record<string, string>>,
): Variables {
  const variables = structuredClone(base) as Record<string, unknown>;
  for (const [name, text] of Object.entries(values)) {
    const target = targets.get(name);
    if (target === undefined) continue;
    let holder = variables;
    for (const member of target.path.slice(0, -1)) holder = (holder[member] ??= {}) as Record<string, unknown>;
    holder[target.path.at(-1) as string] = toVariable(target.type, text);
  }
  return variables;
}

function toVariable(type: VariableType, text: string): unknown {
  if (type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

function readVariables(
  { readVariables: read }: RestOperation,
  given: { readonly parameter: OpenApiParameter; readonly text: string } | undefined,
): Variables {
  const isInPath = given?.parameter.in === 'path';
  const path = isInPath ? { [given.parameter.name]: given.text } : {};
  const query = new Map(given === undefined || isInPath ? [] : [[given.parameter.name, [given.text]]]);
  return withoutNulls(read({ path, query })) as Variables;
}

/** Empty objects and empty texts, which represent a missing path parameter, are removed too. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutNulls(member)] as const)
    .filter(([, member]) => member !== null && member !== '' && JSON.stringify(member) !== '{}');
  return Object.fromEntries(members);
}

function findPath(variables: unknown, wanted: unknown): readonly string[] | undefined {
  if (typeof variables !== 'object' || variables === null) return undefined;
  for (const [name, value] of Object.entries(variables)) {
    if (value === wanted) return [name];
    const below = findPath(value, wanted);
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}
