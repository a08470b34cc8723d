import type { ErrorCode } from './codes';

interface Explanation {
  readonly cause: string;
  readonly remedy: string;
}

/** What leads to each error, and what a caller does about it. Markdown: the reference page shows it. */
export const errorExplanations: Readonly<Record<ErrorCode, Explanation>> = {
  UNAUTHORIZED: {
    cause: 'The credential is missing, malformed, unknown, revoked or expired.',
    remedy:
      'Send `Authorization: Bearer <API key or access token>`. Fetch a new token when the old one has expired; ask for a new key when the key was revoked.',
  },
  FORBIDDEN: {
    cause: 'The credential lacks the scope that the operation or the field needs.',
    remedy:
      'Use a key with this scope, or request it when fetching the token. `granted_scopes` of getShop lists yours.',
  },
  PLAN_LIMIT_EXCEEDED: {
    cause: 'The shop is not on the plan `business`, the only one that includes this API.',
    remedy: 'Change the plan of the shop. Retrying does not help.',
  },
  NOT_FOUND: {
    cause: 'Nothing is at this path, or the product does not exist, was deleted, or is hidden by the product limit.',
    remedy: 'Check the path. Drop ids that lead here: listProducts has the current ones.',
  },
  RATE_LIMITED: {
    cause:
      'The key, or the IP address that refused keys come from, has used up its requests of the current 60 seconds.',
    remedy:
      'Wait as many seconds as `Retry-After` says; the next request is then admitted. Slow all clients of one key.',
  },
  BAD_USER_INPUT: {
    cause: 'A parameter, variable, cursor or header breaks its rule.',
    remedy: 'Read `message`: it reports what was expected and what was received. Correct the call before repeating it.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The path exists, but not for this method.',
    remedy: 'Use a method of the header `Allow`. Reading is GET.',
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'The body of the request is larger than the endpoint accepts.',
    remedy: 'Send a shorter document, or fewer values in its variables.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The body has another media type or charset than the endpoint reads.',
    remedy: 'GraphQL: `Content-Type: application/json`. Tokens: `application/x-www-form-urlencoded`. Both in UTF-8.',
  },
  INTERNAL_SERVER_ERROR: {
    cause: 'A defect of the service.',
    remedy: 'Repeat the call once. If it fails again, report the value of `X-Request-Id`.',
  },
  SERVICE_UNAVAILABLE: {
    cause: 'The service is overloaded, restarting or without its database, or the answer took too long.',
    remedy: 'Repeat the call after `Retry-After` seconds, then with growing pauses.',
  },
  RESYNC_REQUIRED: {
    cause:
      'The cursor of the change feed belongs to a history that has ended: by a restore, a failover or `catalog check --repair`, or, where no change was read with it yet, by a restart of the database.',
    remedy: 'Mirror the shop again from the start, and continue from a new `changesCursor`.',
  },
  ANSWER_TOO_LARGE: {
    cause: 'The GraphQL operation asks for more than the 8 MiB of one answer, beyond what shorter pages can spare.',
    remedy: 'Ask for fewer objects or fields at once: a smaller `first`, or `variantConnection` instead of `variants`.',
  },
};
