import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import {
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  UniqueFragmentNamesRule,
  validate,
} from 'graphql';
import type { OperationLimits } from './limits';

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
 * @param introspection whether a document may ask for the schema
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
