// The dashboard: runs the operation of each tile with one key, and shows its answer. Talks to the server that the page came from, and to
// no other; keeps the key in memory. Each view is a script of its own: `readVariables(form)` and `show(output, data, form)`.
import { element } from './elements.js';
import { forgetWaiting, run } from './graphql.js';

const find = (root, selector) => root.querySelector(selector);
const say = (place, text) => {
  place.textContent = text;
};

let key;

/** What to do about an error, where its message does not say it. */
const remedies = {
  FORBIDDEN: 'Use a key that carries it.',
  UNAUTHORIZED: 'Check the key.',
};

class Tile {
  /** The call whose answer is awaited; a newer one takes its place. */
  #call;

  constructor(section, view) {
    this.view = view;
    this.section = section;
    this.form = find(section, 'form');
    this.state = find(section, '[data-state]');
    this.output = find(section, '[data-output]');
    this.query = find(section, '[data-document] code').textContent;
    if (this.waits) return;
    this.form?.addEventListener('change', () => void this.load());
  }

  /** Whether it runs only when a person asks for it. */
  get waits() {
    return this.view.waitsForChoice === true || (this.form?.hasAttribute('data-waits') ?? false);
  }

  restart() {
    this.#call?.abort();
    this.view.restart?.();
    say(this.state, '');
    this.output.replaceChildren();
    if (!this.waits || this.view.startsAlone === true) void this.load();
  }

  async load() {
    this.#call?.abort();
    if (key === undefined) return askForKey(this.state);
    const call = (this.#call = new AbortController());
    const variables = this.view.readVariables(this.form);
    find(this.section, '[data-variables] code').textContent = JSON.stringify(variables, null, 2);
    const missing = this.view.explainMissing?.(variables);
    if (missing !== undefined) return say(this.state, missing);
    say(this.state, 'Waiting for the answer…');
    this.section.setAttribute('aria-busy', 'true');
    try {
      const onWait = (text) => say(this.state, text);
      const answer = await run(this.query, variables, { key, signal: call.signal, onWait });
      if (this.#call === call) this.#show(answer);
    } catch (error) {
      if (this.#call === call && !call.signal.aborted) say(this.state, `No answer: ${error.message}.`);
    } finally {
      if (this.#call === call) this.section.removeAttribute('aria-busy');
    }
  }

  #show({ data, errors = [], extensions }) {
    this.output.replaceChildren();
    if (data) this.view.show(this.output, data, this.form);
    say(this.state, errors.length === 0 ? 'Up to date.' : '');
    // One missing scope may be reported by several fields.
    const texts = new Set(
      errors.map(({ message, extensions: own }) => `${message} ${remedies[own?.code] ?? ''}`.trim()),
    );
    this.state.append(...[...texts].map((textContent) => element('span', { className: 'problem', textContent })));
    for (const { extensions: own } of errors) this.view.recover?.(own?.code);
    const cost = extensions?.cost;
    say(
      find(this.section, '[data-cost]'),
      cost === undefined ? '' : `It costs ${cost.requested} of ${cost.allowed} points.`,
    );
  }
}

const keyForm = find(document, '[data-credential]');
const keyState = find(document, '[data-credential-state]');

function askForKey(state) {
  say(state, 'Expected an API key, got none: fill it in at the top of the page.');
  keyForm.elements.key.focus();
}

async function load(section) {
  try {
    return new Tile(section, await import(`./${section.dataset.view}.js`));
  } catch {
    say(find(section, '[data-state]'), 'This tile did not load: reload the page.');
    return undefined;
  }
}

// Promises, because a key may be given before the scripts of all views have loaded.
const tiles = new Map(
  [...document.querySelectorAll('[data-view]')].map((section) => [section.dataset.view, load(section)]),
);

function useKey(given, text) {
  key = given;
  forgetWaiting();
  say(keyState, text);
  for (const tile of tiles.values()) void tile.then((loaded) => loaded?.restart());
}

keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const given = keyForm.elements.key.value.trim();
  if (given === '') say(keyState, 'API key: expected a key, got nothing.');
  // Headers hold printable ASCII alone; fetch would complain in other words.
  else if (!/^[\x21-\x7e]+$/.test(given))
    say(keyState, 'API key: expected letters, digits, dots and signs, without spaces.');
  else useKey(given, 'The key is used by all tiles.');
});

document.addEventListener('submit', async (event) => {
  const section = event.target.closest('[data-view]');
  if (section === null) return;
  event.preventDefault();
  await (await tiles.get(section.dataset.view))?.load();
});

// Any tile may name an object that the detail tile shows.
document.addEventListener('click', async (event) => {
  const id = event.target.closest('[data-open]')?.dataset.open;
  if (id === undefined) return;
  const detail = await tiles.get('detail');
  if (detail === undefined) return;
  detail.view.choose(id);
  const title = find(detail.section, 'h2');
  title.focus();
  await detail.load();
});

const demoKey = find(document, 'meta[name=demo-key]')?.content;
if (demoKey !== undefined) {
  keyForm.elements.key.value = demoKey;
  useKey(demoKey, 'The key of the demo shop is used by all tiles.');
}
