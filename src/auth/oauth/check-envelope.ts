import { parseMediaType } from '../../common/header-value';
import { methodNotAllowed, payloadTooLarge, unsupportedMediaType } from './token-error';
import type { TokenRequest } from './token-messages';

/** Far more than a grant type and three scopes need. */
export const maximumBodyBytes = 16_384;

/** Form-encoded text is ASCII, which has the same bytes in each of these; some clients send ISO-8859-1 by default. */
const charsets = ['utf-8', 'utf8', 'us-ascii', 'iso-8859-1'];

/** Checks method, size, media type and charset: whether there is a form to parse. A missing body is an empty form. */
export function checkEnvelope({ method, contentType, body }: TokenRequest): void {
  if (method !== 'POST') throw methodNotAllowed(method);
  if (Buffer.byteLength(body) > maximumBodyBytes) throw payloadTooLarge();
  const isReadable = contentType === undefined ? body.length === 0 : isForm(contentType);
  if (!isReadable) throw unsupportedMediaType();
}

function isForm(contentType: string): boolean {
  const { essence, charsets: named } = parseMediaType(contentType);
  return essence === 'application/x-www-form-urlencoded' && named.every((charset) => charsets.includes(charset));
}
