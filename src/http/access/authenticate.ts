import type { RequestHandler } from 'express';
import { setPrincipal } from '../request/request-state';
import { authorizationValues } from '../request/authorization-values';
import type { HttpDependencies, IsPublicRequest } from '../http-dependencies';
import { noteStep } from '../request/request-record';

/** Authenticates the caller. Responds with 401 on failure; a call that may be public continues without a principal. */
export const authenticate =
  ({ authenticator }: HttpDependencies, isPublic: IsPublicRequest | undefined): RequestHandler =>
  async (request, response, next) => {
    const authorization = authorizationValues(request);
    const isAnonymous = authorization.length === 0 && isPublic !== undefined && (await isPublic(request));
    if (!isAnonymous) setPrincipal(response, await authenticator.authenticate(authorization, request));
    noteStep(response, 'auth');
    next();
  };
