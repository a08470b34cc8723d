import express from 'express';
import { answerInTime } from './answer-in-time';
import { checkRequest } from './check-request';
import { mountExplorer } from './explorer-mount';
import { mountGraphql } from './graphql-mount';
import { createErrorHandler } from './handle-errors';
import { mountHealth } from './health-mount';
import type { HttpDependencies } from './http-dependencies';
import type { MessageClasses } from './message-classes';
import { adoptMessages } from './message-classes';
import { answerOptions, refuseRoute } from './methods';
import { mountOAuth } from './oauth-mount';
import { observeRequests } from './observe-requests';
import { mountRest } from './rest-mount';
import { mountSubgraph } from './subgraph-mount';
import { mountWellKnown } from './well-known-mount';

/** The life of a request, top to bottom. */
export function createHttpApp(dependencies: HttpDependencies, messageClasses: MessageClasses): express.Express {
  const app = express();
  adoptMessages(app, messageClasses);
  const answerError = createErrorHandler(dependencies);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.set('trust proxy', dependencies.trustedProxies);

  app.use(observeRequests(dependencies));
  app.use(checkRequest);
  app.use(answerInTime(dependencies, answerError));
  app.use('/v1', mountRest(dependencies));
  if (dependencies.explorer !== undefined) app.use(mountExplorer(dependencies.explorer, dependencies));
  app.use(mountGraphql(dependencies));
  if (dependencies.subgraph !== undefined) app.use(mountSubgraph(dependencies.subgraph, dependencies));
  app.use(mountOAuth(dependencies));
  app.use('/.well-known', mountWellKnown(dependencies));
  app.use(mountHealth(dependencies));
  // `OPTIONS *` asks about the server as a whole (RFC 9110 9.3.7).
  app.options(/^\*$/, answerOptions('GET, HEAD, POST, OPTIONS', dependencies.rateLimiter));
  app.use(refuseRoute(dependencies.explorer !== undefined));
  app.use(answerError);
  return app;
}
