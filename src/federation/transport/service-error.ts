import { shorten } from '../../common/one-line';
import { isJsonObject } from '../answer/json-objects';
import type { SubgraphError } from '../subgraph-executor';

/** Maximum number of errors that are kept of one answer; the others are counted. */
export const maxListedErrors = 100;

const maxMessageCharacters = 1000;
const maxPathLength = 100;
const maxPathKeyCharacters = 200;
/** As JSON text. */
const maxExtensionCharacters = 4000;

const codeWord = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Codes that describe the whole request, or this gateway: clients, and the parts of the server that choose a status,
 * would mistake them for ours. A subgraph's other codes concern only its own part and are passed on, even rate limits
 * and outages.
 */
const reservedCodes: ReadonlySet<string> = new Set([
  'UNAUTHENTICATED',
  'UNAUTHORIZED',
  'PLAN_LIMIT_EXCEEDED',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/**
 * `http` would set the status and headers of our response: Apollo Server reads it from any error. Stack traces are
 * private, `service` is set by the gateway, and the other names are inherited by every object.
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

/** Converts an error of a subgraph. It is untrusted: only members with a valid form and size are used. */
export function toServiceError(error: SubgraphError | null, name: string, hideMessages: boolean): SubgraphError {
  const { message, path, extensions } = error ?? ({} as Partial<SubgraphError>);
  const code = toCode(isJsonObject(extensions) ? extensions['code'] : undefined);
  return {
    message:
      hideMessages || typeof message !== 'string'
        ? `The subgraph "${name}" reported an error.`
        : shorten(message, maxMessageCharacters),
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
