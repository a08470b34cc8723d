import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST } from 'graphql';
import { ApiError } from '../../errors/api-error';
import { costLimit } from './cost-limit';
import { documentLimits, repetitionLimit } from './document-limits';
import { outlineOperation } from './document-outline';
import type { DocumentShape } from './document-shape';
import { emptyShape, measureDocument, measureMerging } from './document-shape';
import type { CostOptions, LimitOptions } from './limit-options';
import { defaultLimits } from './limit-options';
import type { ExpensiveField } from './operation-cost';
import { createOperationCost } from './operation-cost';
import type { LimitedOperation, OperationLimit } from './operation-limit';
import { measureRecursion } from './operation-recursion';
import { recursionLimit } from './recursion-limit';
import { syntaxLimits } from './syntax-limits';
import { variableLimit } from './variable-limit';

/** Every limit, in the order in which they are checked: first those that cost little and have the clearest messages. */
export const operationLimits: readonly OperationLimit[] = [...syntaxLimits, recursionLimit, variableLimit, costLimit];

/** Measures of an operation within all limits. */
export interface CheckedOperation {
  readonly cost: number;
  readonly maxCost: number;
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
  readonly rootFields: number;
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
   * @throws ApiError BAD_USER_INPUT that reports what there is too much of, and how much is allowed.
   */
  checkDocument(document: DocumentNode): DocumentShape;
  /**
   * Everything that does not depend on variables is computed once, and cached for the lifetime of the document object.
   * @throws ApiError BAD_USER_INPUT that reports what was requested, what is allowed, and which field costs most.
   */
  checkOperation(operation: OperationToCheck & { readonly variables?: Variables | undefined }): CheckedOperation;
}

/** Options for `createOperationLimits`; omitted ones are as in `defaultLimits`. */
export type LimitSettings = Partial<Omit<LimitOptions, 'cost'>> & { readonly cost?: Partial<CostOptions> };

/** Builds the check of operations before they run. Pure: nothing is executed, any schema will do. */
export function createOperationLimits(settings: LimitSettings = {}): OperationLimits {
  const options: LimitOptions = { ...defaultLimits, ...settings, cost: { ...defaultLimits.cost, ...settings.cost } };
  const shapes = new WeakMap<DocumentNode, DocumentShape>();
  const prepared = new WeakMap<DocumentNode, Map<string | undefined, PreparedLimits>>();

  const checkDocument = (document: DocumentNode): DocumentShape => {
    const known = shapes.get(document);
    if (known !== undefined) return known;
    const shape = measureDocument(document);
    if (!shape.hasBrokenFragments) {
      for (const each of shape.operations.values()) refuseExcess('syntax', { ...unmeasured, shape: each }, options);
    }
    for (const { name, explainExcess } of documentLimits) refuse(name, explainExcess(shape, options));
    if (!shape.hasBrokenFragments) {
      refuse(repetitionLimit.name, repetitionLimit.explainExcess(measureMerging(document), options));
    }
    shapes.set(document, shape);
    return shape;
  };

  const prepareLimits = ({ schema, document, operationName }: OperationToCheck): PreparedLimits['check'] => {
    const operation = findOperation(document, operationName);
    const shape = checkDocument(document).operations.get(operation) ?? unmeasured.shape;
    const outline = outlineOperation(schema, document, operation);
    const recursion = measureRecursion(outline);
    // Prices are computed only for documents that are not already refused.
    refuseExcess('document', { ...unmeasured, shape, recursion }, options);
    const cost = createOperationCost(outline, options.cost);
    const { depth, fields, aliases, rootFields } = shape;
    return (variables: Variables): CheckedOperation => {
      refuseExcess('request', { shape, recursion, cost, variables }, options);
      return {
        cost: cost.cost(variables),
        maxCost: options.maxCost,
        depth,
        fields,
        aliases,
        rootFields,
        findMostExpensive: () => cost.mostExpensive(variables),
      };
    };
  };

  return {
    checkDocument,
    checkOperation({ schema, document, operationName, variables }) {
      const byName = prepared.get(document) ?? new Map<string | undefined, PreparedLimits>();
      prepared.set(document, byName);
      // The empty name is a name, which no operation has.
      const name = operationName ?? undefined;
      let entry = byName.get(name);
      // A gateway replaces its schema while it runs.
      if (entry?.schema !== schema) {
        entry = { schema, check: prepareLimits({ schema, document, operationName }) };
        byName.set(name, entry);
      }
      return entry.check(variables ?? {});
    },
  };
}

interface PreparedLimits {
  readonly schema: GraphQLSchema;
  readonly check: (variables: Variables) => CheckedOperation;
}

/** For limits that do not use the measure. */
const unmeasured: LimitedOperation = {
  shape: emptyShape,
  recursion: { field: '', count: 0 },
  cost: { cost: () => 0, mostExpensive: () => undefined, nodesPerRequest: 0 },
  variables: {},
};

function refuseExcess(basis: OperationLimit['basis'], operation: LimitedOperation, options: LimitOptions): void {
  for (const limit of operationLimits) {
    if (limit.basis === basis) refuse(limit.name, limit.explainExcess(operation, options));
  }
}

function refuse(limit: string, excess: string | undefined): void {
  if (excess !== undefined) throw new ApiError('BAD_USER_INPUT', excess, { internal: `limit: ${limit}` });
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
