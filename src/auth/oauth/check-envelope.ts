import { methodNotAllowed, payloadTooLarge, unsupportedMediaType } from './token-error';
import type { TokenRequest } from './token-request';

/** Far more than a grant type and three scopes need. */
export const maximumBodyBytes = 16_384;

const formMediaType = /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i;

/** Method, size and media type: whether there is a form to read at all. A missing body is an empty form. */
export function checkEnvelope({ method, contentType, body }: TokenRequest): void {
  if (method !== 'POST') throw methodNotAllowed(method);
  if (Buffer.byteLength(body) > maximumBodyBytes) throw payloadTooLarge();
  const isForm = contentType === undefined ? body.length === 0 : formMediaType.test(contentType.trim());
  if (!isForm) throw unsupportedMediaType();
}
