import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST } from 'graphql';
import { ApiError } from '../../errors/api-error';
import { aliasLimit } from './alias-limit';
import { costLimit } from './cost-limit';
import { depthLimit } from './depth-limit';
import { directiveLimit } from './directive-limit';
import { outlineOperation } from './document-outline';
import { fieldLimit } from './field-limit';
import type { CostOptions, LimitOptions } from './limit-options';
import { defaultLimits } from './limit-options';
import type { ExpensiveField } from './operation-cost';
import { createOperationCost } from './operation-cost';
import type { LimitedOperation, OperationLimit } from './operation-limit';
import { measureShape } from './operation-shape';
import { recursionLimit } from './recursion-limit';
import { rootFieldLimit } from './root-field-limit';
import { variableLimit } from './variable-limit';

/** Every limit, in the order they are checked: the cheap ones that explain themselves best come first. */
export const operationLimits: readonly OperationLimit[] = [
  depthLimit,
  rootFieldLimit,
  aliasLimit,
  directiveLimit,
  fieldLimit,
  recursionLimit,
  variableLimit,
  costLimit,
];

/** What an operation within all limits asks for. */
export interface CheckedOperation {
  readonly cost: number;
  readonly maxCost: number;
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Worked out when it is called: only a report needs it. */
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
   * What does not depend on variables is worked out once, and remembered for as long as the document object lives.
   * @throws ApiError BAD_USER_INPUT saying what was asked for, what is allowed, and which field costs most.
   */
  checkOperation(operation: OperationToCheck & { readonly variables?: Variables | undefined }): CheckedOperation;
}

/** Options for `createOperationLimits`; what is left out is as in `defaultLimits`. */
export type LimitSettings = Partial<Omit<LimitOptions, 'cost'>> & { readonly cost?: Partial<CostOptions> };

/** Builds the check of operations before they run. Pure: nothing is executed, any schema will do. */
export function createOperationLimits(settings: LimitSettings = {}): OperationLimits {
  const options: LimitOptions = { ...defaultLimits, ...settings, cost: { ...defaultLimits.cost, ...settings.cost } };
  const prepared = new WeakMap<
    DocumentNode,
    Map<string, { schema: GraphQLSchema; check: (variables: Variables) => CheckedOperation }>
  >();

  const prepareLimits = ({ schema, document, operationName }: OperationToCheck) => {
    const operation = findOperation(document, operationName);
    const outline = outlineOperation(schema, document, operation);
    const shape = measureShape(outline);
    // Prices are only worked out for documents that are not refused already.
    const priceless = { cost: () => 0, mostExpensive: () => undefined, nodesPerRequest: 0 };
    refuseExcess('document', { shape, cost: priceless, variables: {} }, options);
    const cost = createOperationCost(outline, options.cost);
    const { depth, fields, aliases, rootFields } = shape;
    return (variables: Variables): CheckedOperation => {
      refuseExcess('request', { shape, cost, variables }, options);
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
    checkOperation({ schema, document, operationName, variables }) {
      const byName =
        prepared.get(document) ??
        new Map<string, { schema: GraphQLSchema; check: (variables: Variables) => CheckedOperation }>();
      prepared.set(document, byName);
      const name = operationName ?? '';
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

function refuseExcess(basis: OperationLimit['basis'], operation: LimitedOperation, options: LimitOptions): void {
  for (const limit of operationLimits) {
    if (limit.basis !== basis) continue;
    const excess = limit.explainExcess(operation, options);
    if (excess !== undefined) throw new ApiError('BAD_USER_INPUT', excess, { internal: `limit: ${limit.name}` });
  }
}

function findOperation(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name ?? undefined);
  if (operation) return operation;
  throw new ApiError(
    'BAD_USER_INPUT',
    name ? `The document has no operation named "${name}".` : 'Say which operation of the document to run.',
  );
}
