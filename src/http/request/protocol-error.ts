import { ApiError } from '../../errors/api-error';

/**
 * A request that breaks HTTP itself. The registry has one code for what a client got wrong (D2); HTTP tells more apart:
 * 408, 414, 417 and 431 beside 400.
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
