import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Principal } from '../../auth/principal';
import { createScopeError } from '../../auth/principal';
import { ApiError } from '../../errors/api-error';
import { toApiError } from '../../errors/to-api-error';
import type { RateLimitDecision, RateLimiter } from '../../rate-limit/rate-limiter';
import { addressBucket, keyBucket } from '../../rate-limit/rate-limiter';
import type { HttpCore, HttpDependencies, IsPublicRequest } from '../http-dependencies';
import { resetConnection } from '../request/buffered-bytes';
import { authorizationValues } from '../request/request';
import type { Charge, Route } from '../routes';
import { isRateLimited } from '../routes';

/*
 * Every way in which a call draws on a bucket (D18, D19). The bucket's decision is stored with the response, for its
 * headers; a call that draws on none shows an unused window, so that no caller waits because of others. Only the token
 * endpoint counts elsewhere: failed authentications, in a separate bucket (src/auth/oauth/token-endpoint.ts).
 */

/**
 * A call of the API: draws on the bucket of its key, or of its address if it needs no credential (D26).
 * @returns the refusal if the bucket is empty
 */
export async function chargeCall(
  rateLimiter: RateLimiter,
  request: Request,
  response: Response,
): Promise<ApiError | undefined> {
  const { principal } = response.locals;
  const bucket = principal === undefined ? addressBucket(request.ip) : keyBucket(principal);
  const decision = await rateLimiter.consume(bucket);
  response.locals.rateLimit = decision;
  return decision.admitted ? undefined : createRateLimitedError(decision);
}

/**
 * A call that failed before it was charged. Only a credential that was refused counts against the address: it may cost
 * a read. Without one, or before it is read, a refusal is cheap and draws on nothing (D19).
 * @returns the error to respond with: the original one, or 429 in its place, with the same challenge
 */
export async function chargeFailure(
  rateLimiter: RateLimiter,
  error: ApiError,
  request: Request,
  response: Response,
): Promise<ApiError> {
  if (!isRateLimited(request.originalUrl) || response.locals.rateLimit !== undefined) return error;
  if (error.code !== 'UNAUTHORIZED' || error.credentialFault === undefined) return error;
  const decision = await rateLimiter.consume(addressBucket(request.ip));
  response.locals.rateLimit = decision;
  return decision.admitted ? error : createRateLimitedError(decision, error);
}

/**
 * Retry-After is sent with the other rate-limit headers (D18).
 * @param refused Why the call was refused before the bucket was checked.
 */
const createRateLimitedError = (
  { limit, resetSeconds }: RateLimitDecision,
  { headers, credentialFault }: Partial<Pick<ApiError, 'headers' | 'credentialFault'>> = {},
): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    `Rate limit exceeded (requests per 60 seconds: ${limit}). Try again in ${resetSeconds} s.`,
    {
      ...(headers && { headers }),
      ...(credentialFault && { credentialFault }),
    },
  );

/** Authenticates the caller. Responds with 401 on failure; a call that may be public continues without a principal. */
export function authenticate(dependencies: HttpDependencies, isPublic: IsPublicRequest | undefined): RequestHandler {
  const endOnceRefused = createRecheck(dependencies);
  return async (request, response, next) => {
    const authorization = authorizationValues(request);
    const isAnonymous = authorization.length === 0 && isPublic !== undefined && (await isPublic(request));
    if (!isAnonymous) {
      response.locals.principal = await dependencies.authenticator.authenticate(authorization, request);
      endOnceRefused(request, response, next);
    }
    response.locals.steps?.push(['auth', performance.now()]);
    next();
  };
}

/**
 * Checks that the key has calls left in its window; 429 if not. Calls that are refused later are counted as well (D1,
 * D18).
 */
export const limitRate =
  ({ rateLimiter }: Pick<HttpCore, 'rateLimiter'>): RequestHandler =>
  async (request, response, next) => {
    const refusal = await chargeCall(rateLimiter, request, response);
    response.locals.steps?.push(['limit', performance.now()]);
    if (refusal !== undefined) throw refusal;
    next();
  };

/**
 * A public document: counts against the address for its headers (D19), and is never refused. This is not the bucket of
 * a caller that presents a credential anyway.
 */
const countDocument =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    if (authorizationValues(request).length === 0)
      response.locals.rateLimit = { ...(await rateLimiter.consume(addressBucket(request.ip))), admitted: true };
    next();
  };

/**
 * Checks that the shop's plan includes the API. If not, every endpoint responds with 403, before scope, parameters and
 * existence (D1).
 */
const checkPlan =
  (): RequestHandler =>
  (_request, { locals: { principal } }, next) => {
    if (principal !== undefined) refuseOtherPlans(principal);
    next();
  };

/** @throws ApiError PLAN_LIMIT_EXCEEDED */
function refuseOtherPlans({ shop: { plan } }: Principal): void {
  if (plan === 'business') return;
  throw new ApiError('PLAN_LIMIT_EXCEEDED', `The API requires the "business" plan; the shop is on "${plan}".`);
}

/**
 * The current state of the caller, for a request that takes so long that it is authenticated again. An access token may
 * have expired in the meantime, unless the response is endless.
 * @throws ApiError UNAUTHORIZED, PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
 */
export async function authenticateAgain(
  { authenticator }: Pick<HttpDependencies, 'authenticator'>,
  request: Request,
  response: Response,
): Promise<Principal> {
  const hasBegun = response.locals.isEndless !== true;
  const principal = await authenticator.authenticate(authorizationValues(request), { ip: request.ip, hasBegun });
  refuseOtherPlans(principal);
  return principal;
}

/**
 * A response in progress is authenticated again twice a minute, so that even after one failed read a revocation takes
 * effect within a minute; together with those that began in the same two seconds, so that one statement reads all their
 * keys.
 */
const recheckGroups = 15;
const recheckIntervalMilliseconds = 2_000;

/**
 * Ends a long response, on any surface, once its key is revoked or expired, its secret was rotated away, a scope is
 * lost or the plan has changed: with an error if nothing has been sent yet, otherwise by closing the connection.
 */
function createRecheck(dependencies: HttpDependencies) {
  const groups = Array.from({ length: recheckGroups }, () => new Set<() => Promise<void>>());
  let current = 0;
  let timer: NodeJS.Timeout | undefined;
  const recheckNext = (): void => {
    current = (current + 1) % recheckGroups;
    for (const recheck of groups[current] ?? []) void recheck();
  };
  return (request: Request, response: Response, next: NextFunction): void => {
    // The client left while its key was read: nothing would take it out of its group.
    if (response.closed) return;
    const group = groups[current];
    const recheck = async (): Promise<void> => {
      try {
        const { scopes } = await authenticateAgain(dependencies, request, response);
        const lost = response.locals.principal?.scopes.find((scope) => !scopes.includes(scope));
        if (lost !== undefined) throw createScopeError([[lost]], scopes);
      } catch (thrown) {
        const error = toApiError(thrown);
        // The credential could not be checked now; the next recheck tries again.
        if (error.status >= 500 || response.closed) return;
        group?.delete(recheck);
        if (!response.headersSent) {
          response.locals.timeout = error;
          return next(error);
        }
        dependencies.log.warn({ requestId: response.locals.requestId }, `closed a response early: ${error.message}`);
        resetConnection(request.socket);
      }
    };
    group?.add(recheck);
    timer ??= setInterval(recheckNext, recheckIntervalMilliseconds).unref();
    response.on('close', () => {
      group?.delete(recheck);
      if (groups.some(({ size }) => size > 0)) return;
      clearInterval(timer);
      timer = undefined;
    });
  };
}

type Step = (dependencies: HttpDependencies, isPublic: IsPublicRequest | undefined) => RequestHandler;

/**
 * The steps that run before an endpoint, by what it charges; for `key`, in the order of D1. Scopes belong to the graph
 * (D11).
 */
const steps: Readonly<Record<Charge, readonly Step[]>> = {
  key: [authenticate, limitRate, checkPlan],
  address: [countDocument],
  token: [],
  none: [],
};

/** @param isPublic Which calls need no credential; none if omitted. */
export const createAccessSteps = (
  { charge }: Route,
  dependencies: HttpDependencies,
  isPublic?: IsPublicRequest,
): RequestHandler[] => steps[charge].map((step) => step(dependencies, isPublic));
