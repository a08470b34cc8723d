// The explorer: GraphiQL with the key of all pages. Talks to the server that the page came from, and to no other.
/* global React, ReactDOM, GraphiQL */
import {
  askForKey,
  authorization,
  find,
  findAll,
  messageOf,
  onCredential,
  sendOperation,
} from '../../reference/assets/shell.js';

const place = find(document, '#explorer');
const { examples, productFields } = JSON.parse(find(document, '#explorer-data').textContent);

/** Whether the page shows a response, which belongs to the key that it has. */
let hasAnswer = false;

/** Sends an operation; problems with the key are shown next to the key. */
async function fetcher(parameters, { headers = {} } = {}) {
  const own = await authorization();
  const isIntrospection = parameters.operationName === 'IntrospectionQuery';
  const isNamed = new Headers(headers).has('Authorization');
  if (own === undefined && !isNamed && !isIntrospection) askForKey('Add a key to run this. The key is sent only to this server.');
  try {
    const answer = await sendOperation(parameters, { headers });
    const { response, text, body = { errors: [{ message: text }] } } = answer;
    if (isIntrospection) offerOverSubgraphs(body.data?.__schema.types ?? []);
    else hasAnswer = true;
    if (response.status === 401 && own !== undefined && !isNamed) askForKey(messageOf(answer));
    return body;
  } catch ({ message }) {
    return { errors: [{ message }] };
  }
} // prettier-ignore

const root = globalThis.ReactDOM && ReactDOM.createRoot(place);

/** Stores nothing: neither a key nor the tabs of an earlier visit, which would hide the example. */
const forgetful = {
  length: 0,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
};

/** Runs the operation once all editors have loaded, so that with a key the page begins with a result. */
function RunOnce({ query }) {
  const { run } = GraphiQL.React.useExecutionContext();
  const { queryEditor, variableEditor, responseEditor } = GraphiQL.React.useEditorContext();
  const isReady = Boolean(queryEditor && variableEditor && responseEditor);
  React.useEffect(() => {
    // A link must not change anything by itself.
    if (isReady && !/\bmutation\b/.test(query)) authorization().then((own) => own !== undefined && run());
  }, [isReady]);
  return null;
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const themeOfPage = () => document.documentElement.dataset.theme ?? (darkSystem.matches ? 'dark' : 'light');

/** Follows changes of the theme without losing text, as GraphiQL itself would. */
function followTheme() {
  document.body.classList.toggle('graphiql-dark', themeOfPage() === 'dark');
  document.body.classList.toggle('graphiql-light', themeOfPage() === 'light');
}
darkSystem.addEventListener('change', followTheme);
new MutationObserver(followTheme).observe(document.documentElement, { attributeFilter: ['data-theme'] });

let shown;
let times = 0;

/** Text of an editor that has loaded. */
const textOf = (part) => find(place, `${part} .CodeMirror`)?.CodeMirror.getValue();

/** Creates a new GraphiQL each time, because its editor reads the text only once. An example keeps what was typed. */
function show(example) {
  if (shown !== undefined) {
    shown.query = textOf('.graphiql-query-editor') ?? shown.query;
    shown.variables = textOf('.graphiql-editor-tool') ?? shown.variables;
  }
  shown = example;
  hasAnswer = false;
  const { query, variables: text = '' } = example;
  ReactDOM.flushSync(() =>
    root.render(
      React.createElement(GraphiQL, {
        key: (times += 1),
        fetcher,
        query,
        variables: text,
        response: 'Run the query to see its response.',
        forcedTheme: themeOfPage(),
        storage: forgetful,
        toolbar: { additionalContent: React.createElement(RunOnce, { query }) },
        defaultEditorToolsVisibility: text === '' ? undefined : 'variables',
      }),
    ),
  );
}

/** Shows the query of the address, if it has one. */
function showAsked() {
  const words = new URLSearchParams(location.hash.slice(1));
  const query = words.get('query');
  if (query === null) return false;
  for (const tab of findAll(document, '[data-example]')) tab.setAttribute('aria-selected', 'false');
  show({ query, variables: words.get('variables') ?? '' });
  return true;
}

if (root && globalThis.GraphiQL) {
  if (!showAsked()) show(examples[0]);
  addEventListener('hashchange', showAsked);
  // The response of another key's shop does not stay; the query is run again.
  onCredential(() => hasAnswer && show(shown));
} else place.textContent = 'GraphiQL could not be loaded from this server. Reload the page.';

const addExample = (tab, example) =>
  tab.addEventListener('click', () => {
    // A reload would bring back the query of the address.
    history.replaceState(null, '', location.pathname);
    show(example);
  });
for (const tab of findAll(document, '[data-example]')) addExample(tab, examples[Number(tab.dataset.example)]);

/** Adds an example of products with fields of other subgraphs, if there are any. */
function offerOverSubgraphs(types) {
  if (find(document, '#over-subgraphs') !== null) return;
  const fieldsOf = (name) => types.find((type) => type.name === name)?.fields ?? [];
  const nameOf = (type) => (type.ofType ? nameOf(type.ofType) : type);
  const isFree = ({ args }) => args.every(({ type, defaultValue }) => type.kind !== 'NON_NULL' || defaultValue !== null);
  const isLeaf = ({ type }) => ['SCALAR', 'ENUM'].includes(nameOf(type).kind);
  const lines = fieldsOf('Product')
    .filter((field) => !productFields.includes(field.name) && isFree(field))
    .flatMap((field) => {
      if (isLeaf(field)) return [field.name];
      const leaves = fieldsOf(nameOf(field.type).name).filter((each) => isLeaf(each) && isFree(each));
      const few = field.args.some(({ name }) => name === 'first') ? '(first: 2)' : '';
      return leaves.length === 0 ? [] : [`${field.name}${few} { ${leaves.slice(0, 3).map(({ name }) => name).join(' ')} }`];
    });
  if (lines.length === 0) return;
  const tab = findAll(document, '[data-example]').at(-1).cloneNode();
  Object.assign(tab, { id: 'over-subgraphs', textContent: 'Across subgraphs', tabIndex: -1, ariaSelected: 'false' });
  find(document, '.examples').append(tab);
  addExample(tab, {
    query: `# Products with fields from other subgraphs.
query AcrossSubgraphs {
  products(first: 3) {
    nodes {
      title
      ${lines.slice(0, 5).join('\n      ')}
    }
  }
}
`,
  });
} // prettier-ignore

// The editors capture Tab, so a keyboard could not leave them. After Escape they do not receive it, and the browser
// moves to the next control.
let leaves = false;
document.addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Tab' && leaves) event.stopImmediatePropagation();
    if (event.key !== 'Shift') leaves = event.key === 'Escape' && event.target.closest('.CodeMirror') !== null;
  },
  true,
);
