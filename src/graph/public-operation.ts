import { parse } from 'graphql';
import { isIntrospectionOnly } from './limits/introspection-only';
import { maxTokens } from './limits/limit-options';

/** Whether a GraphQL request asks for nothing but the schema itself (D26). False for whatever is no proper request. */
export function isPublicOperation(request: unknown): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { query, operationName } = request as { query?: unknown; operationName?: unknown };
  if (typeof query !== 'string') return false;
  try {
    const document = parse(query, { noLocation: true, maxTokens });
    return isIntrospectionOnly(document, typeof operationName === 'string' ? operationName : null);
  } catch {
    return false;
  }
}
