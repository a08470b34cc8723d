import express from 'express';
import { answerInTime } from './request/answer-in-time';
import { checkRequest } from './request/check-request';
import { mountDashboard } from './endpoints/dashboard/dashboard';
import { mountExport } from './endpoints/export';
import { mountGraphiql } from './endpoints/explorer/mount-graphiql';
import { mountExplorer } from './endpoints/explorer/explorer';
import { mountGraphql } from './endpoints/graphql/graphql';
import { createErrorHandler } from './response/handle-errors';
import { mountHealth } from './endpoints/health';
import type { HttpDependencies } from './http-dependencies';
import type { MessageClasses } from './server/message-classes';
import { adoptMessages } from './server/message-classes';
import { answerOptions, refuseRoute } from './response/methods';
import { mountOAuth } from './endpoints/oauth-token';
import { observeRequests } from './request/observe-requests';
import { answerUnknownVisit, mountReference } from './endpoints/reference/reference';
import { mountRest } from './endpoints/rest';
import { mountSubgraph } from './endpoints/subgraph';
import { mountWellKnown } from './endpoints/well-known';

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
  app.use(mountRest(dependencies));
  if (dependencies.explorer !== undefined) app.use(mountExplorer(dependencies.explorer, dependencies));
  app.use(mountGraphql(dependencies));
  if (dependencies.subgraph !== undefined) app.use(mountSubgraph(dependencies.subgraph, dependencies));
  if (dependencies.exports !== undefined) app.use(mountExport(dependencies.exports, dependencies));
  app.use(mountOAuth(dependencies));
  app.use(mountWellKnown(dependencies));
  app.use(mountHealth(dependencies));
  if (dependencies.reference !== undefined) {
    app.use(mountReference(dependencies.reference, dependencies));
    app.use(mountDashboard(dependencies.reference, dependencies));
    if (dependencies.explorer !== undefined) app.use(mountGraphiql(dependencies.reference, dependencies));
  }
  // `OPTIONS *` is about the server as a whole (RFC 9110 9.3.7).
  app.options(/^\*$/, answerOptions('GET, HEAD, POST, OPTIONS', dependencies.rateLimiter));
  if (dependencies.reference !== undefined) app.use(answerUnknownVisit(dependencies));
  app.use(refuseRoute(dependencies));
  app.use(answerError);
  return app;
}
