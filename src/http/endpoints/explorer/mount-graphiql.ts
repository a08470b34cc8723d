import { join } from 'node:path';
import type { Router } from 'express';
import type { HttpDependencies, ReferenceOptions } from '../../http-dependencies';
import { routes } from '../../routes';
import { toShellFacts } from '../reference/reference';
import { createPublicPages, pageHeaders } from '../reference/public-pages';
import { vendorFile } from '../shell/vendor-file';
import { explorerPolicy, renderExplorer } from './render-explorer';

/** GraphiQL at `/explorer` with its files. */
export function mountGraphiql(options: ReferenceOptions, dependencies: HttpDependencies): Router {
  const { router, mount, mountFiles, createPages } = createPublicPages(options, dependencies);
  const facts = toShellFacts(dependencies);
  const headers = { ...pageHeaders, 'Content-Security-Policy': explorerPolicy };
  mount(
    routes.explorer,
    createPages((demoKey) => renderExplorer(facts, demoKey), headers),
  );
  const own = ['explorer.css', 'explorer.js'].map((name) => ({ name, path: join(__dirname, 'assets', name) }));
  mountFiles(routes.explorerFiles, [
    ...own,
    ...['react.js', 'react-dom.js', 'graphiql.js', 'graphiql.css'].map(vendorFile),
  ]);
  return router;
}
