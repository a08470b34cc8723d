// The dashboard: runs the operation of each tile with the key of all pages, and shows the result. Each view is a
// separate script: README.md describes its interface.
import {
  addressOf,
  askForKey,
  colour,
  element,
  find,
  findAll,
  onCredential,
  print,
} from '../../reference/assets/shell.js';
import { toPng } from './chart.js';
import { forgetWaiting, run } from './graphql.js';
import { fillDates, readPeriod } from './period.js';

const say = (place, text) => {
  place.textContent = text;
};

let hasKey = false;

class Tile {
  /** The call in progress; a newer one replaces it. */
  #call;
  /** The last result, for switches that need no new request, and for files. */
  #data;

  constructor(section, view) {
    this.view = view;
    this.section = section;
    this.form = find(section, 'form');
    this.state = find(section, '[data-state]');
    this.output = find(section, '[data-output]');
    this.query = find(section, '[data-document] code').textContent;
    this.form?.addEventListener('change', () => {
      keepInAddress();
      if (!this.view.waits) this.redraw();
    });
    find(section, '[data-save]')?.addEventListener('click', () => this.#save());
    find(section, '[data-save-png]')?.addEventListener('click', () => void this.#savePng());
    view.start?.(this);
  }

  /** Forgets the data of the previous key, and requests it with the current one. */
  restart() {
    this.#data = undefined;
    this.view.restart?.();
    this.clear();
    if (!hasKey) return this.#askForKey();
    if (this.view.waitsForPeriod === true && !page.hasPeriod) this.#await();
    else if (!this.view.waits) void this.load();
  }

  /** For another period, for example: the old content stays until the result arrives. */
  reload() {
    this.view.restart?.();
    void this.load();
  }

  /** Once on the page. */
  #askForKey() {
    if (!this.isFirst) return;
    const button = element('button', { type: 'button', className: 'btn small primary', textContent: 'Add a key' });
    button.dataset.opens = 'key';
    this.state.replaceChildren('Add a key to see the orders, revenue and stock of its shop.', button);
  }

  /** The others are shown after this one. */
  get isFirst() {
    return this.section.id === 'shop';
  }

  #await() {
    this.section.setAttribute('aria-busy', 'true');
    say(this.state, this.output.childElementCount === 0 ? 'Loading…' : '');
  }

  clear() {
    this.#call?.abort();
    this.section.removeAttribute('aria-busy');
    delete this.section.dataset.shown;
    say(this.state, '');
    this.output.replaceChildren();
    this.#offerFiles();
  }

  /** There are no files without data. */
  #offerFiles() {
    const isEmpty = this.#data === undefined || this.view.rowsOf?.(this.#data).length === 0;
    for (const button of findAll(this.section, '[data-save], [data-save-png]')) button.disabled = isEmpty;
  }

  redraw() {
    if (this.#data === undefined) return;
    const { activeElement } = document;
    const focused = this.output.contains(activeElement) && activeElement.textContent;
    this.output.replaceChildren();
    this.view.show(this.output, this.#data, page, this.form);
    this.#offerFiles();
    // The button that had the focus has been replaced.
    if (focused)
      findAll(this.output, 'button')
        .find(({ textContent }) => textContent === focused)
        ?.focus();
  }

  async load() {
    this.#call?.abort();
    const call = (this.#call = new AbortController());
    delete this.section.dataset.shown;
    const variables = this.view.readVariables(page, this.form);
    colour(find(this.section, '[data-variables] code'), print(variables), 'json');
    this.#leadToExplorer(variables);
    this.#await();
    try {
      const onWait = (text) => {
        // For up to a minute: the tiles below wait for no place.
        this.section.removeAttribute('aria-busy');
        say(this.state, text);
      };
      const answer = await run(this.query, variables, { signal: call.signal, onWait });
      if (this.#call === call) this.#show(answer);
    } catch (error) {
      if (this.#call !== call || call.signal.aborted) return;
      this.output.replaceChildren();
      // The others wait for the period that this one may suggest.
      page.suggestPeriod('90-days');
      const onclick = () => (this.isFirst ? restart(true) : void this.load());
      const again = element('button', { type: 'button', className: 'btn small', textContent: 'Try again', onclick });
      this.state.replaceChildren(error.message, again);
    } finally {
      if (this.#call === call) this.section.removeAttribute('aria-busy');
    }
  }

  #show({ data, errors = [], extensions }) {
    this.#data = data ?? undefined;
    if (data) this.redraw();
    else this.output.replaceChildren();
    say(this.state, '');
    const refused = errors.find((each) => each.extensions?.code === 'UNAUTHORIZED');
    if (refused) {
      askForKey(refused.message);
      return restart(false);
    }
    this.section.dataset.shown = errors.length === 0 ? 'whole' : 'partly';
    // One missing scope may be reported by several fields.
    const texts = new Set(errors.map(({ message }) => message));
    this.state.append(...[...texts].map((textContent) => element('span', { className: 'problem', textContent })));
    const cost = extensions?.cost;
    say(find(this.section, '[data-cost]'), cost === undefined ? '' : `Cost: ${cost.requested} of ${cost.allowed} points.`);
  } // prettier-ignore

  #leadToExplorer(variables) {
    const link = find(this.section, '[data-explore]');
    if (link === null) return;
    const words = new URLSearchParams({ query: this.query, variables: print(variables) });
    link.href = `${addressOf('explorer')}#${words}`;
  }

  #save() {
    const rows = this.view.rowsOf(this.#data);
    const cell = (value) => {
      const text = value === null || value === undefined ? '' : String(value);
      // A spreadsheet would run what begins with one of these signs.
      const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text;
      return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const lines = [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map(
      (cells) => `${cells.map(cell).join(',')}\r\n`,
    );
    download(`${this.section.id}.csv`, new Blob(['\ufeff', ...lines], { type: 'text/csv' }));
  }

  async #savePng() {
    const plot = find(this.output, '.plot');
    const { period, from, to } = periodForm.elements;
    const isRange = period.value === 'dates';
    const shown = [find(document, '[data-shop-name]'), find(this.output, '.big'), period.options[period.selectedIndex]];
    const texts = shown.map(({ textContent }) => textContent.trim());
    const title = [...texts.slice(0, 2), isRange ? `${from.value} to ${to.value}` : texts[2]].join(' · ');
    download(
      `${this.section.id}-${isRange ? `${from.value}-${to.value}` : period.value}.png`,
      await toPng(plot, title),
    );
  }
}

function download(name, blob) {
  const href = URL.createObjectURL(blob);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

// The period of the page and its currency, also in the URL.
const periodForm = find(document, '[data-period]');
const words = new URLSearchParams(location.search);
const page = {
  hasPeriod: words.has('period'),
  isPeriodChosen: words.has('period'),
  currency: words.get('currency') ?? undefined,
  get period() {
    return readPeriod(periodForm.elements);
  },
  get periodName() {
    const { period } = periodForm.elements;
    return period.options[period.selectedIndex].dataset.length;
  },
  /** Sets a period with data, unless the user chose one. */
  suggestPeriod(name) {
    if (page.hasPeriod) return;
    periodForm.elements.period.value = name;
    page.hasPeriod = true;
    startPeriod();
  },
  /** The second tile of the drawer needs what the first one has shown. */
  async showOrdersOf(skus) {
    const tile = await tiles.get('orders-of-product');
    if (tile === undefined) return;
    tile.clear();
    tile.section.hidden = skus.length === 0;
    tile.view.choose(skus);
    if (skus.length > 0) await tile.load();
  },
  chooseCurrency(name) {
    page.currency = name;
    keepInAddress();
    void tiles.get('orders-by-day').then((tile) => tile?.redraw());
  },
};
const switches = () => [
  ...findAll(periodForm, 'select, input'),
  ...findAll(document, '[data-view=orders-by-day] input, [data-view=vendors-and-tags] input'),
];
for (const field of switches()) {
  const value = words.get(field.name);
  if (value === null) continue;
  if (field.type === 'radio') field.checked = field.value === value;
  else field.value = value;
  // A period that does not exist.
  if (field.selectedIndex < 0) field.selectedIndex = 0;
}
showDates();
function keepInAddress() {
  const now = new URLSearchParams();
  for (const field of switches()) if (field.type !== 'radio' || (field.checked && !field.defaultChecked)) now.set(field.name, field.value);
  if (page.currency !== undefined) now.set('currency', page.currency);
  history.replaceState(null, '', `?${now}${location.hash}`);
} // prettier-ignore
periodForm.addEventListener('change', ({ target }) => {
  // A date that is still being typed.
  if (!periodForm.checkValidity() || target.value === '') return;
  page.hasPeriod = page.isPeriodChosen = true;
  startPeriod();
  keepInAddress();
});

async function load(section) {
  try {
    return new Tile(section, await import(`./${section.dataset.view}.js`));
  } catch {
    say(find(section, '[data-state]'), 'This tile did not load: reload the page.');
    return undefined;
  }
}

// Promises, because a key may be given before the scripts of all views have loaded.
const tiles = new Map(findAll(document, '[data-view]').map((section) => [section.dataset.view, load(section)]));

function showDates() {
  const isRange = periodForm.elements.period.value === 'dates';
  find(periodForm, '[data-dates]').hidden = !isRange;
  if (isRange) fillDates(periodForm.elements);
}

function startPeriod() {
  showDates();
  for (const tile of tiles.values()) void tile.then((loaded) => loaded?.view.waitsForPeriod === true && loaded.reload());
} // prettier-ignore

document.addEventListener('submit', async (event) => {
  const section = event.target.closest('[data-view]');
  if (section === null) return;
  event.preventDefault();
  await (await tiles.get(section.dataset.view))?.load();
});

// The drawer: each object has its own URL, and Back closes it.
const drawer = find(document, '#drawer');
let returnsTo;
/** A hand-written URL that cannot be decoded is used as it is. */
function toName(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
async function openFromAddress() {
  const [, kind, name] = /^#(product|order|collection)\/(.+)$/.exec(location.hash) ?? [];
  const isOpen = kind !== undefined;
  if (isOpen && !hasKey) return askForKey('The dashboard needs a key. It is sent only to this server.');
  if (isOpen && drawer.hidden) returnsTo = document.activeElement;
  drawer.hidden = !isOpen;
  for (const part of findAll(document, '.skip, header.bar, .dash > :not(#drawer)')) part.inert = isOpen;
  if (!isOpen) {
    returnsTo?.focus();
    returnsTo = undefined;
    return;
  }
  const detail = await tiles.get('detail');
  if (detail === undefined) return;
  detail.view.choose(kind, toName(name));
  detail.clear();
  void page.showOrdersOf([]);
  find(drawer, '[data-close]').focus();
  if (hasKey) await detail.load();
}
const closeDrawer = () => {
  if (!drawer.hidden) history.pushState(null, '', location.pathname + location.search);
  void openFromAddress();
};
addEventListener('hashchange', () => void openFromAddress());
find(drawer, '[data-close]').addEventListener('click', closeDrawer);
drawer.addEventListener('click', ({ target }) => target === drawer && closeDrawer());
document.addEventListener('keydown', ({ key }) => key === 'Escape' && !drawer.hidden && closeDrawer());

function restart(isUsable) {
  hasKey = isUsable;
  // Another shop may have another period.
  page.hasPeriod = page.isPeriodChosen;
  forgetWaiting();
  for (const tile of tiles.values()) void tile.then((loaded) => loaded?.restart());
  void openFromAddress();
}
onCredential(restart);
// A stored key may still be being checked.
if (document.documentElement.dataset.key === undefined) restart(false);
