import type { RequestHandler } from 'express';
import { createAccessSteps } from './access/access-steps';
import type { Surfaces } from './create-http-app';
import { mountChanges } from './endpoints/changes/changes';
import { mountDashboard } from './endpoints/dashboard/dashboard';
import { mountExport } from './endpoints/export';
import { mountGraphiql } from './endpoints/explorer/graphiql';
import { mountSandbox } from './endpoints/explorer/sandbox';
import { mountGraphql, passOnVisits } from './endpoints/graphql/graphql-handler';
import { mountOAuth, mountWellKnown } from './endpoints/oauth';
import { answerUnknownVisit, mountReference } from './endpoints/reference/reference';
import { mountMcp } from './endpoints/mcp/mcp';
import { mountRest } from './endpoints/rest';
import { mountSubgraph } from './endpoints/subgraph';
import type { HttpDependencies } from './http-dependencies';
import { routes } from './routes';

/** All surfaces of the catalog. */
export function catalogSurfaces(dependencies: HttpDependencies): Surfaces {
  const {
    explorer,
    subgraph,
    exports,
    changes,
    mcp,
    reference,
    graphqlMiddleware,
    waitForSlot,
    isPublicGraphqlRequest,
  } = dependencies;
  const access = createAccessSteps(routes.graphql, dependencies, isPublicGraphqlRequest);
  const graphql = {
    access: explorer === undefined ? access : [passOnVisits, ...access],
    waitForSlot,
    middleware: graphqlMiddleware,
  };
  const routers: RequestHandler[] = [mountRest(dependencies)];
  routers.push(mountGraphql(graphql));
  if (explorer !== undefined) routers.push(mountSandbox(explorer, dependencies));
  if (subgraph !== undefined) routers.push(mountSubgraph(subgraph, dependencies));
  if (exports !== undefined) routers.push(mountExport(exports, dependencies));
  if (changes !== undefined) routers.push(mountChanges(changes, dependencies));
  if (mcp !== undefined) routers.push(mountMcp(mcp, dependencies));
  routers.push(mountOAuth(dependencies), mountWellKnown(dependencies));
  if (reference === undefined) return { routers };
  routers.push(mountReference(reference, dependencies), mountDashboard(reference, dependencies));
  if (explorer !== undefined) routers.push(mountGraphiql(reference, dependencies));
  return { routers, otherwise: answerUnknownVisit(dependencies) };
}
