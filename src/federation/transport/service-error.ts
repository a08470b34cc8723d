import { isJsonObject } from '../plan/json-objects';
import type { SubgraphError } from '../subgraph-executor';

/** Errors of one answer that are kept; the rest is counted. */
export const maxListedErrors = 100;

const maxMessageCharacters = 1000;
const maxPathLength = 100;
const maxPathKeyCharacters = 200;
/** As JSON text. */
const maxExtensionCharacters = 4000;

const codeWord = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Codes that say something of the whole request, or of this gateway: clients, and the parts of the server that choose a status,
 * take them for ours. A subgraph's word for its own part is no such thing.
 */
const reservedCodes: ReadonlySet<string> = new Set([
  'UNAUTHENTICATED',
  'UNAUTHORIZED',
  'PLAN_LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'SERVICE_UNAVAILABLE',
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/**
 * `http` would set the status and headers of our response: Apollo Server reads it from any error. Stack traces are nobody's
 * business, `service` is ours to tell, and the rest are names that objects have by themselves.
 */
const droppedExtensions: ReadonlySet<string> = new Set([
  'http',
  'service',
  'stacktrace',
  'exception',
  '__proto__',
  'constructor',
  'prototype',
]);

/** What a subgraph reports comes from elsewhere: of its members only those are taken that have the right form and size. */
export function toServiceError(error: SubgraphError | null, name: string, hideMessages: boolean): SubgraphError {
  const { message, path, extensions } = error ?? ({} as Partial<SubgraphError>);
  const code = toCode(isJsonObject(extensions) ? extensions['code'] : undefined);
  return {
    message:
      hideMessages || typeof message !== 'string'
        ? `The subgraph "${name}" reported an error.`
        : shortened(message, maxMessageCharacters),
    ...(isPath(path) && { path }),
    extensions: hideMessages ? { code, service: name } : { ...passedExtensions(extensions), code, service: name },
  };
}

const toCode = (word: unknown): string =>
  typeof word === 'string' && codeWord.test(word) && !reservedCodes.has(word) ? word : 'DOWNSTREAM_SERVICE_ERROR';

function isPath(path: unknown): path is readonly (string | number)[] {
  if (!Array.isArray(path) || path.length > maxPathLength) return false;
  return path.every((key) => (typeof key === 'string' ? key.length <= maxPathKeyCharacters : typeof key === 'number'));
}

function passedExtensions(extensions: unknown): Record<string, unknown> {
  if (!isJsonObject(extensions)) return {};
  const passed = Object.fromEntries(Object.entries(extensions).filter(([key]) => !droppedExtensions.has(key)));
  return JSON.stringify(passed).length <= maxExtensionCharacters ? passed : {};
}

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
