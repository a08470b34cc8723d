import { Kind, parse } from 'graphql';
import { readTypeDefinitions } from '../../../graph/schema';
import { routes } from '../../routes';
import { toContentSecurityPolicy } from './page';
import { pageDirectives, renderPage, type ShellFacts } from '../shell/render-shell';
import { renderTab, toInlineJson } from '../shell/html';
import { examples } from './examples';

/** What the catalog says of a product: everything else is said by other subgraphs. */
const readProductFields = () =>
  parse(readTypeDefinitions()).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === 'Product'
      ? (definition.fields ?? []).map(({ name }) => name.value)
      : [],
  );

const explorerFilesPath = routes.explorerFiles.path.replace('/{*file}', '');

/** As of all pages, but for GraphiQL: its editor and menus make style elements, and its style sheet holds fonts. */
export const explorerPolicy = toContentSecurityPolicy({
  ...pageDirectives,
  'style-src': ["'self'", "'unsafe-inline'"],
  'font-src': ["'self'", 'data:'],
});

/** GraphiQL in the shell, with examples to begin with. */
export const renderExplorer = (facts: ShellFacts, demoKey: string | undefined): string =>
  renderPage(facts, {
    title: 'Explorer · Catalog Read API',
    description: 'GraphiQL over the schema of this service, with examples that run. Works without the internet.',
    current: routes.explorer.path,
    files: ['graphiql.css', 'explorer.css', 'explorer.js'].map((name) => `${explorerFilesPath}/${name}`),
    libraries: ['react.js', 'react-dom.js', 'graphiql.js'].map((name) => `${explorerFilesPath}/${name}`),
    demoKey,
    isWhole: true,
    mainClass: 'lab',
    main: `<h1 class="sr">Explorer</h1>
<div class="lab-bar"><div class="examples" role="tablist" aria-label="Examples">${examples.map(({ name }, at) => renderTab('explorer', name, at, ` data-example="${at}"`)).join('')}</div>
<p class="lab-say">In an editor Tab indents. Escape, then Tab, leaves it.</p></div>
<div id="explorer" role="tabpanel" aria-label="GraphiQL"></div>
<noscript>GraphiQL needs JavaScript.</noscript>
<script type="application/json" id="explorer-data">${toInlineJson({ examples, productFields: readProductFields() })}</script>`,
  });
