import type { ErrorCode } from './codes';

interface Explanation {
  readonly cause: string;
  readonly remedy: string;
}

/** Cause and remedy of each error, in Markdown for the reference page. */
export const errorExplanations: Readonly<Record<ErrorCode, Explanation>> = {
  UNAUTHORIZED: {
    cause: 'The credential is missing, malformed, unknown, revoked or expired.',
    remedy:
      'Send `Authorization: Bearer <API key or access token>`. Get a new token if yours has expired, or a new key if yours was revoked.',
  },
  FORBIDDEN: {
    cause:
      'The credential does not have the scope that the operation or field requires, or a web page of another origin called `/mcp`.',
    remedy:
      'Missing scope: use a key with it, or request it when you get a token; `message` lists the scopes of your credential. `/mcp`: call it from a server or a desktop program.',
  },
  PLAN_LIMIT_EXCEEDED: {
    cause: 'The shop is not on the `business` plan, the only plan with API access.',
    remedy: 'Upgrade the plan of the shop. Retrying does not help.',
  },
  NOT_FOUND: {
    cause:
      'No route matches the path, or the product does not exist, was deleted, or is hidden by the product limit of the plan.',
    remedy: 'Check the path. Remove stored IDs that return 404; listProducts returns the current ones.',
  },
  RATE_LIMITED: {
    cause:
      'The key, or an IP address that sends invalid credentials or anonymous introspection queries, exceeded its request limit for the current 60-second window, or another export of the shop is running.',
    remedy: 'Wait the number of seconds in `Retry-After`. All clients of a key share its limit, so slow them all down.',
  },
  BAD_USER_INPUT: {
    cause: 'A parameter, variable, cursor, body or header is invalid, or a GraphQL operation exceeds a limit.',
    remedy: 'Read `message` for what was expected and what was received. Correct the request before you retry.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The path does not support this method.',
    remedy: 'Use a method from the `Allow` header. Reads use GET.',
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'The request body is larger than the endpoint accepts.',
    remedy: 'Send a shorter document or fewer values in its variables.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The endpoint does not accept the media type, charset or compression of the body.',
    remedy:
      'GraphQL: `Content-Type: application/json`. Tokens: `application/x-www-form-urlencoded`. Both in UTF-8, uncompressed.',
  },
  INTERNAL_SERVER_ERROR: {
    cause: 'A bug in the service.',
    remedy: 'Retry once. If it fails again, report the `X-Request-Id`.',
  },
  SERVICE_UNAVAILABLE: {
    cause: 'The service is overloaded or restarting, it cannot reach its database, or the request timed out.',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry with exponential backoff.',
  },
  RESYNC_REQUIRED: {
    cause:
      'The change feed cursor is no longer valid because of a restore, a failover, a crash or `catalog check --repair`. A `changesCursor` also expires when the database restarts.',
    remedy: 'Start over: get a new `changesCursor`, read all objects, then continue from that cursor.',
  },
  ANSWER_TOO_LARGE: {
    cause:
      'A GraphQL operation returns more than 8 MiB and cannot be shortened, or the response of an MCP tool exceeds its limit (`max_characters`, at most 650,000).',
    remedy:
      'Request fewer objects or fields: a smaller `first`, or `variantConnection` instead of `variants`. MCP: select `fields`, or request fewer objects.',
  },
};
