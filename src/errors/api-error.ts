import { maskMessage } from '../privacy/addresses';
import type { ErrorCode } from './codes';
import { errorStatus } from './codes';

interface ApiErrorOptions {
  /** The underlying error; for the log only. */
  cause?: unknown;
  /** Response headers that belong to the error: Retry-After (with SERVICE_UNAVAILABLE by default one second), Allow. */
  headers?: Readonly<Record<string, string>>;
  credentialFault?: CredentialFault;
}

/** Why a presented credential was rejected, in the terms of RFC 6750 3.1; sent in the challenge (D16). */
export type CredentialFault =
  | { readonly error: 'invalid_token'; readonly description: string }
  | { readonly error: 'insufficient_scope'; readonly scope: string };

/**
 * The only error whose text may reach a client. `message` is public: it says what was expected and what was received,
 * and contains no SQL, path or library name (D2). E-mail addresses in received values are masked (D25). Any other
 * thrown error becomes INTERNAL_SERVER_ERROR.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly headers: Readonly<Record<string, string>>;
  readonly credentialFault: CredentialFault | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { cause, headers, credentialFault }: ApiErrorOptions = {},
  ) {
    super(maskMessage(message), { cause });
    this.headers = headers ?? (code === 'SERVICE_UNAVAILABLE' ? { 'Retry-After': '1' } : {});
    this.credentialFault = credentialFault;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}
