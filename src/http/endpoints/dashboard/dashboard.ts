import { dirname, join } from 'node:path';
import type { Router } from 'express';
import type { HttpDependencies } from '../../http-dependencies';
import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import type { AssetFile } from '../reference/public-pages';
import { createPublicPages } from '../reference/public-pages';
import type { ReferenceOptions } from '../reference/reference-options';
import { renderDashboard } from './render-dashboard';
import { views } from './views';

/** The dashboard: one page, its scripts, and the files of uPlot as npm delivers them. */
export function mountDashboard(options: ReferenceOptions, dependencies: HttpDependencies): Router {
  const { router, mount, mountFiles, createPages } = createPublicPages(options, dependencies);
  const prefix = pathPrefixOf(dependencies.publicUrl);
  mount(
    routes.dashboard,
    createPages((demoKey) => renderDashboard(demoKey, prefix)),
  );
  mountFiles(routes.dashboardFiles, [...ownFiles(), ...plotFiles()]);
  return router;
}

const ownNames = ['dashboard.css', 'dashboard.js', 'graphql.js', 'elements.js', 'plot.js'];

const ownFiles = (): AssetFile[] =>
  [...ownNames, ...views.map(({ id }) => `${id}.js`)].map((name) => ({ name, path: join(__dirname, 'assets', name) }));

function plotFiles(): AssetFile[] {
  const folder = join(dirname(require.resolve('uplot/package.json')), 'dist');
  return [
    { name: 'uplot.js', path: join(folder, 'uPlot.iife.min.js') },
    { name: 'uplot.css', path: join(folder, 'uPlot.min.css') },
  ];
}
