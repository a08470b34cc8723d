import type { Response } from 'express';
import { CancellationSource } from '../../common/cancellation';
import { ApiError } from '../../errors/api-error';

/** A GraphQL operation in progress: canceled when its client disconnects, and when it has taken too long. */
export class RunningOperation extends CancellationSource<ApiError> {
  constructor(response: Response) {
    super();
    if (response.destroyed) this.end(clientGone());
    response.once('close', () => {
      if (!response.writableFinished) this.end(clientGone());
    });
  }
}

/** Without a cause, so that it is not logged: clients disconnect all the time. */
const clientGone = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The client disconnected before the operation was answered.');
