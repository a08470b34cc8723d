import type { Request, Response } from 'express';
import type { Principal } from '../../../auth/principal';
import type { GraphqlContext } from '../../../graph/graphql-context';
import { findPrincipal, requestIdOf, setOperation } from '../../request/request-state';
import { RunningOperation } from '../../request/running-operation';

/** The context of a client's operation. Apollo Server works on a copy, so mutable state is in a separate object. */
export class OperationContext implements GraphqlContext {
  readonly principal: Principal | undefined;
  readonly requestId: string | undefined;
  readonly cancellation: RunningOperation;

  constructor(
    private readonly request: Request,
    response: Response,
  ) {
    this.principal = findPrincipal(response);
    this.requestId = requestIdOf(response);
    this.cancellation = new RunningOperation(response);
    setOperation(response, this.cancellation);
  }

  get headers(): Request['headers'] {
    return this.request.headers;
  }
}
