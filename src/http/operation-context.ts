import type { Request, Response } from 'express';
import type { Principal } from '../auth/principal';
import type { GraphqlContext } from '../graph/graphql-context';
import { findPrincipal } from './admission';
import { requestIdOf } from './request-record';

/** The context of a client's operation. What only other subgraphs need is made when one is asked. */
export class OperationContext implements GraphqlContext {
  readonly principal: Principal | undefined;
  readonly requestId: string | undefined;
  private abort: AbortController | undefined;

  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {
    this.principal = findPrincipal(response);
    this.requestId = requestIdOf(response);
  }

  get headers(): Request['headers'] {
    return this.request.headers;
  }

  get signal(): AbortSignal {
    if (this.abort === undefined) {
      const abort = new AbortController();
      if (this.response.destroyed) abort.abort();
      else this.response.once('close', () => abort.abort());
      this.abort = abort;
    }
    return this.abort.signal;
  }
}
