import type { ApiError } from '../../errors/api-error';
import type { Surface } from '../routes';

/** Error codes of RFC 6749 5.2 and 4.1.2.1 for failures before or around the token endpoint (D13). */
function toOAuthWord(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** The body of an error in the format that the surface's clients expect (D2, D13, D26). */
export function toErrorBody(surface: Surface, { code, message, status }: ApiError): Buffer {
  if (surface === 'graphql') return toJson({ errors: [{ message, extensions: { code } }] });
  if (surface === 'oauth') return toJson({ error: toOAuthWord(status), error_description: message });
  return toJson({ error: { code, message } });
}

export const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
