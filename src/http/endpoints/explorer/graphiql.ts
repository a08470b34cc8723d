import { Kind, parse } from 'graphql';
import { readTypeDefinitions } from '../../../graph/schema';
import { routes } from '../../routes';
import {
  toContentSecurityPolicy,
  renderTab,
  toInlineJson,
  pageDirectives,
  renderPage,
  vendorFile,
} from '../shell/render-shell';
import type { ShellFacts } from '../shell/render-shell';
import { examples } from './examples';
import { join } from 'node:path';
import type { Router } from 'express';
import type { HttpDependencies, ExplorerOptions } from '../../http-dependencies';
import { toShellFacts } from '../reference/reference';
import { createPublicPages, pageHeaders } from '../reference/public-pages';
import { explorerFilesPath } from './sandbox';

/** The catalog's own fields of a product: all others come from other subgraphs. */
const readProductFields = () =>
  parse(readTypeDefinitions()).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === 'Product'
      ? (definition.fields ?? []).map(({ name }) => name.value)
      : [],
  );

/**
 * Like that of all pages, except for GraphiQL: its editor and menus create style elements, and its style sheet contains
 * fonts.
 */
const explorerPolicy = toContentSecurityPolicy({
  ...pageDirectives,
  'style-src': ["'self'", "'unsafe-inline'"],
  'font-src': ["'self'", 'data:'],
});

/** GraphiQL in the shell, with examples to begin with. */
const renderExplorer = (facts: ShellFacts, demoKey: string | undefined): string =>
  renderPage(facts, {
    title: 'Explorer · Catalog Read API',
    description: 'GraphiQL with runnable examples. Works offline.',
    current: routes.explorer.path,
    files: ['graphiql.css', 'explorer.css', 'explorer.js'].map((name) => `${explorerFilesPath}/${name}`),
    libraries: ['react.js', 'react-dom.js', 'graphiql.js'].map((name) => `${explorerFilesPath}/${name}`),
    demoKey,
    isWhole: true,
    mainClass: 'lab',
    main: `<h1 class="sr">Explorer</h1>
<div class="lab-bar"><div class="examples" role="tablist" aria-label="Examples">${examples.map(({ name }, at) => renderTab('explorer', name, at, ` data-example="${at}"`)).join('')}</div>
<p class="lab-say">Tab indents in the editor. Press Escape, then Tab to leave it.</p></div>
<noscript><p class="lab-none">GraphiQL needs JavaScript.</p></noscript>
<div id="explorer" role="tabpanel" aria-label="GraphiQL"></div>
<script type="application/json" id="explorer-data">${toInlineJson({ examples, productFields: readProductFields() })}</script>`,
  });

/** GraphiQL at `/explorer` with its files. */
export function mountGraphiql(options: ExplorerOptions, dependencies: HttpDependencies): Router {
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
