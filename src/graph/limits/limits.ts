import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import {
  getOperationAST,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  UniqueFragmentNamesRule,
  validate,
} from 'graphql';
import { shorten } from '../../common/one-line';
import { ApiError } from '../../errors/api-error';
import type { TypedField } from '../typed-fields';
import { typeFields } from '../typed-fields';
import type { DocumentShape, OperationShape } from './document-shape';
import { measureDocument, measureMerging } from './document-shape';
import type { LimitOptions } from './limit-options';
import { defaultLimits } from './limit-options';
import type { ExpensiveField, OperationCost } from './operation-cost';
import { createOperationCost } from './operation-cost';

/** Measures of an operation within all limits. */
export interface CheckedOperation extends OperationShape {
  readonly cost: number;
  readonly maxCost: number;
  /** Computed when called: only a report needs it. */
  readonly findMostExpensive: () => ExpensiveField | undefined;
}

type Variables = Readonly<Record<string, unknown>>;

interface OperationToCheck {
  readonly schema: GraphQLSchema;
  /** Parsed, and validated against the schema. */
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

export interface OperationLimits {
  /**
   * Checks everything that the syntax alone determines, of all operations of a parsed document, in time linear in the
   * document: a document within these limits may be validated. Results are cached for the lifetime of the document
   * object.
   * @returns the measures; a document with broken fragments is within no limits and must not be validated as a whole.
   * @throws ApiError BAD_USER_INPUT that reports the excess and the limit.
   */
  checkDocument(document: DocumentNode): DocumentShape;
  /**
   * Everything that does not depend on variables is computed once, and cached for the lifetime of the document object.
   * @throws ApiError BAD_USER_INPUT that reports what was requested, what is allowed, and which field costs most.
   */
  checkOperation(operation: OperationToCheck & { readonly variables?: Variables | undefined }): CheckedOperation;
}

/** Options for `createOperationLimits`; omitted ones are as in `defaultLimits`. */
export type LimitSettings = Partial<LimitOptions>;

/** A limit on something that the syntax determines: its option, the measure, and the wording of a refusal. */
type SyntaxLimit<Measured> = readonly [
  most: keyof LimitOptions,
  measure: { [Name in keyof Measured]: Measured[Name] extends number ? Name : never }[keyof Measured],
  say: string,
];

/** Of each operation, in the order in which they are checked. */
const shapeLimits: readonly SyntaxLimit<OperationShape>[] = [
  // Every level may be one more round trip to the database, or to another service.
  ['maxDepth', 'depth', 'The operation is # fields deep'],
  // Fields of the operation itself run concurrently, each with its own statements.
  ['maxRootFields', 'rootFields', 'The operation selects # root fields'],
  // Aliases turn one field into many: the usual way around a rate limit that counts requests.
  ['maxAliases', 'aliases', 'The operation has # aliases once its fragments are expanded'],
  // Each directive is evaluated for each field that carries it, however often it is repeated.
  ['maxDirectives', 'directives', 'The operation has # directives once its fragments are expanded'],
  // Fragments that use each other twice double with every line of the document: 30 of them are a billion fields.
  ['maxFields', 'fields', 'The operation selects # fields once its fragments are expanded'],
  // Spreads and inline fragments cost validation more than fields do, and can be nested without any field in between.
  ['maxFragmentUses', 'fragmentUses', 'The operation uses # fragments once nested ones are expanded'],
];

/** Of the document, whichever of its operations runs. */
const documentLimits: readonly SyntaxLimit<DocumentShape>[] = [
  ['maxOperations', 'operationCount', 'The document has # operations'],
  ['maxFragments', 'fragmentCount', 'The document has # fragments'],
  ['maxVariables', 'variableDefinitions', 'The operation defines # variables'],
  ['maxValueDepth', 'valueDepth', 'A value in the document is nested # levels deep'],
  [
    'maxSelections',
    'selections',
    'The document has # selections in all its operations once their fragments are expanded',
  ],
];

/** Builds the check of operations before they run. Pure: nothing is executed, any schema will do. */
export function createOperationLimits(settings: LimitSettings = {}): OperationLimits {
  const options: LimitOptions = { ...defaultLimits, ...settings };
  const shapes = new WeakMap<DocumentNode, DocumentShape>();
  const prepared = new WeakMap<OperationDefinitionNode, PreparedLimits>();

  const refuseExcess = <Measured>(limits: readonly SyntaxLimit<Measured>[], measured: Measured): void => {
    for (const [most, measure, say] of limits) {
      const count = measured[measure] as number;
      if (count > options[most]) refuse(`${say.replace('#', toCountText(count))}; the limit is ${options[most]}.`);
    }
  };

  const checkDocument = (document: DocumentNode): DocumentShape => {
    const known = shapes.get(document);
    if (known !== undefined) return known;
    const shape = measureDocument(document);
    if (!shape.hasBrokenFragments) for (const each of shape.operations.values()) refuseExcess(shapeLimits, each);
    refuseExcess(documentLimits, shape);
    if (!shape.hasBrokenFragments) refuseRepetition(document, options);
    shapes.set(document, shape);
    return shape;
  };

  const prepareLimits = (
    { schema, document }: OperationToCheck,
    operation: OperationDefinitionNode,
  ): PreparedLimits => {
    if (!schema.getRootType(operation.operation))
      throw new ApiError('BAD_USER_INPUT', `This graph does not support ${operation.operation} operations.`);
    const { operations, hasBrokenFragments } = checkDocument(document);
    if (hasBrokenFragments)
      throw new ApiError('BAD_USER_INPUT', 'Fragments must have unique names and must not reference themselves.');
    const fields = typeFields(schema, document, operation);
    refuseRecursion(fields, options);
    const cost = createOperationCost(operation, fields);
    return {
      schema,
      shape: operations.get(operation) as OperationShape,
      cost,
      fixedCost: cost.isFixed ? cost.cost({}) : undefined,
    };
  };

  return {
    checkDocument,
    checkOperation({ variables = {}, ...given }) {
      const operation = findOperation(given.document, given.operationName);
      let entry = prepared.get(operation);
      // A gateway replaces its schema while it runs.
      if (entry?.schema !== given.schema) prepared.set(operation, (entry = prepareLimits(given, operation)));
      const { shape, cost, fixedCost } = entry;
      const excess = explainVariables(variables, options);
      if (excess !== undefined) refuse(excess);
      return {
        ...shape,
        cost: refuseCost(fixedCost ?? cost.cost(variables), cost, variables, options),
        maxCost: options.maxCost,
        findMostExpensive: () => cost.mostExpensive(variables),
      };
    },
  };
}

/** The number of errors of one document that are reported; validation stops after them. */
const maxErrors = 50;

/**
 * Reports fragments that use themselves or have the same name: other rules do not terminate on those, or use one of the
 * two.
 */
const fragmentRules = [UniqueFragmentNamesRule, NoFragmentCyclesRule];

const closedRules = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * Validates a document against a schema once it is known to be small: `validate` takes more than linear time, and on
 * fragments that use themselves exponential time (docs/decisions.md 38).
 * @param introspection whether introspection is allowed
 * @throws ApiError BAD_USER_INPUT for a document beyond the limits.
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: Pick<OperationLimits, 'checkDocument'>,
  introspection = true,
): readonly GraphQLError[] {
  const { hasBrokenFragments } = limits.checkDocument(document);
  const rules = introspection ? specifiedRules : closedRules;
  return validate(schema, document, hasBrokenFragments ? fragmentRules : rules, { maxErrors });
}

interface PreparedLimits {
  readonly schema: GraphQLSchema;
  readonly shape: OperationShape;
  readonly cost: OperationCost;
  /** Of an operation whose cost no variable changes. */
  readonly fixedCost: number | undefined;
}

function refuse(excess: string): never {
  throw new ApiError('BAD_USER_INPUT', excess);
}

/** Formats a count for people: fragments that double each other lead to meaningless numbers, and to Infinity. */
const toCountText = (count: number): string => (count > 1e9 ? 'more than 1000000000' : String(count));

/** Names come from the client and can have any length. */
const pathCharacters = 200;

/** Checked last, because measuring it writes the fragments out. */
function refuseRepetition(document: DocumentNode, { maxComparisons }: LimitOptions): void {
  const { comparisons, path, count } = measureMerging(document);
  if (comparisons > maxComparisons)
    refuse(
      `The document repeats fields: "${shorten(path, pathCharacters)}" is selected ${count} times in one selection set, and merging the duplicates takes ${Math.ceil(comparisons)} comparisons; the limit is ${maxComparisons}. Select each field once.`,
    );
}

/**
 * A product has variants, a variant has a product: such cycles are unbounded, and each round multiplies. The same
 * applies to introspection, whose types have fields that have types.
 */
function refuseRecursion(fields: readonly TypedField[], { maxRecursion }: LimitOptions): void {
  const most = { field: '', count: 0 };
  const above = new Map<string, number>();
  const descend = ({ parentType, node, compositeType, below }: TypedField): void => {
    const field = `${parentType.name}.${node.name.value}`;
    // Each `ofType` removes one wrapper of a type, so it terminates, and introspection needs nine of them.
    const counts = compositeType !== undefined && field !== '__Type.ofType';
    const count = (above.get(field) ?? 0) + 1;
    if (counts && count > most.count) Object.assign(most, { field, count });
    if (counts) above.set(field, count);
    below.forEach(descend);
    if (counts) above.set(field, count - 1);
  };
  fields.forEach(descend);
  if (most.count > maxRecursion)
    refuse(`The operation nests ${most.field} ${most.count} levels deep; the limit is ${maxRecursion}.`);
}

/**
 * Bounds how large the response may become. Sizes of pages and lists multiply, so neither depth nor number of fields
 * limits it.
 */
function refuseCost(requested: number, cost: OperationCost, variables: Variables, { maxCost }: LimitOptions): number {
  if (requested <= maxCost) return requested;
  const most = cost.mostExpensive(variables);
  const where = most ? ` The most expensive field is ${most.path}: ${toCountText(most.cost)}.` : '';
  return refuse(
    `The operation costs ${toCountText(requested)} points; the limit is ${maxCost}.${where} Request smaller pages or fewer nested lists.`,
  );
}

function findOperation(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name ?? undefined);
  if (operation) return operation;
  throw new ApiError(
    'BAD_USER_INPUT',
    name
      ? `The document has no operation named "${name}".`
      : 'operationName: expected the name of the operation to run.',
  );
}

/**
 * Variables reach coercion and resolvers as a whole: a deep or long one costs time there before anything refuses it.
 * @returns the excess and the limit, for a message; undefined within the limits
 */
function explainVariables(variables: Readonly<Record<string, unknown>>, allowed: LimitOptions): string | undefined {
  const names = Object.keys(variables);
  if (names.length > allowed.maxVariables) {
    return `The request has ${names.length} variables; the limit is ${allowed.maxVariables}.`;
  }
  let bytes = 2;
  for (const name of names) {
    bytes += keyBytes(name);
    const measured = measure(name, variables[name], allowed, bytes);
    if (typeof measured === 'string') return measured;
    bytes = measured;
  }
  return undefined;
}

/**
 * Traverses one variable with an explicit stack and stops at the first excess. Returns the bytes so far, or the
 * problem.
 */
function measure(name: string, value: unknown, allowed: LimitOptions, bytesBefore: number): number | string {
  let bytes = bytesBefore;
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, depth } = next;
    if (Array.isArray(current)) {
      if (current.length > allowed.maxVariableListLength) {
        return `The variable "$${name}" has a list of ${current.length} values; the limit is ${allowed.maxVariableListLength}.`;
      }
      bytes += 2 + current.length;
      for (const item of current as unknown[]) open.push({ value: item, depth: depth + 1 });
    } else if (typeof current === 'object' && current !== null) {
      bytes += 2;
      for (const [key, item] of Object.entries(current)) {
        bytes += keyBytes(key);
        open.push({ value: item, depth: depth + 1 });
      }
    } else {
      bytes += typeof current === 'string' ? Buffer.byteLength(current) + 2 : String(current).length;
      continue;
    }
    if (depth > allowed.maxVariableDepth) {
      return `The variable "$${name}" is nested more than ${allowed.maxVariableDepth} levels deep.`;
    }
    if (bytes > allowed.maxVariableBytes) break;
  }
  return bytes > allowed.maxVariableBytes
    ? `The variables exceed ${allowed.maxVariableBytes} bytes, starting at "$${name}".`
    : bytes;
}

/** Quotes, colon and comma included. */
const keyBytes = (key: string): number => Buffer.byteLength(key) + 4;
