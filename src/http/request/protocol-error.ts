import { ApiError } from '../../errors/api-error';

/**
 * A request that violates HTTP itself. The registry has one code for client errors (D2); HTTP distinguishes more: 408,
 * 414, 417 and 431 besides 400.
 */
export class ProtocolError extends ApiError {
  constructor(
    private readonly httpStatus: 400 | 408 | 414 | 417 | 431,
    message: string,
  ) {
    super('BAD_USER_INPUT', message);
  }

  override get status(): number {
    return this.httpStatus;
  }
}
