import { join } from 'node:path';
import type { Router } from 'express';
import type { HttpDependencies, ExplorerOptions } from '../../http-dependencies';
import { routes } from '../../routes';
import type { AssetFile } from '../reference/public-pages';
import { createPublicPages } from '../reference/public-pages';
import { toShellFacts } from '../reference/reference';
import { renderDashboard } from './render-dashboard';
import { views } from './views';

/** The dashboard: one page and its scripts. */
export function mountDashboard(options: ExplorerOptions, dependencies: HttpDependencies): Router {
  const { router, mount, mountFiles, createPages } = createPublicPages(options, dependencies);
  const facts = toShellFacts(dependencies);
  mount(
    routes.dashboard,
    createPages((demoKey) => renderDashboard(facts, demoKey)),
  );
  mountFiles(routes.dashboardFiles, ownFiles());
  return router;
}

const ownNames = ['dashboard.css', 'dashboard.js', 'graphql.js', 'elements.js', 'period.js', 'chart.js'];

const ownFiles = (): AssetFile[] =>
  [...ownNames, ...views.map(({ id }) => `${id}.js`)].map((name) => ({ name, path: join(__dirname, 'assets', name) }));
