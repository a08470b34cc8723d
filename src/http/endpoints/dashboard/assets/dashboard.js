// The dashboard: runs the operation of each tile with the key of all pages, and shows the result. Each view is a
// separate script: README.md describes its interface.
import {
  addressOf,
  askForKey,
  attempt,
  color,
  element,
  find,
  findAll,
  onCredential,
  print,
} from '../../reference/assets/shell.js';
import { toPng } from './chart.js';
import { nameOf } from './elements.js';
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
    find(section, '[data-save=CSV]')?.addEventListener('click', () => this.#save());
    find(section, '[data-save=PNG]')?.addEventListener('click', () => void this.#savePng());
    view.start?.(this);
  }

  /** Forgets the data of the previous key, and requests it with the current one. */
  restart() {
    this.#data = undefined;
    this.view.restart?.();
    this.clear();
    if (!hasKey) return;
    if (this.view.waitsForPeriod === true && !page.isReady) {
      // Without the shop, there is no period to wait for.
      if (find(document, '#shop[aria-busy]')) this.#await();
    } else if (!this.view.waits) void this.load();
  }

  /** For another period, for example: the old content stays until the result arrives. */
  reload() {
    this.view.restart?.();
    void this.load();
  }

  #await() {
    this.section.setAttribute('aria-busy', 'true');
    this.#keepFocus(this.state);
    say(this.state, this.section.id === 'shop' ? 'Loading…' : '');
    this.#offerFiles();
  }

  clear() {
    this.#call?.abort();
    this.#call = undefined;
    this.section.removeAttribute('aria-busy');
    delete this.section.dataset.shown;
    this.#keepFocus(this.state);
    say(this.state, '');
    this.#empty();
  }

  /** Call it before the content of `place` is removed: the focus would move to the top of the page. */
  #keepFocus(place) {
    const next = find(this.section, '[type=search]') ?? this.section;
    if (place.contains(document.activeElement)) next.focus({ preventScroll: true });
  }

  /** Files can be saved only when there is data of the chosen period. */
  #offerFiles() {
    const isBusy = this.section.hasAttribute('aria-busy');
    const isEmpty = isBusy || this.#data === undefined || this.view.rowsOf?.(this.#data).length === 0;
    const hasPlot = find(this.output, '.plot') !== null;
    for (const button of findAll(this.section, '[data-save]'))
      button.disabled = isEmpty || (button.dataset.save === 'PNG' && !hasPlot);
  }

  #empty() {
    this.#data = undefined;
    this.#keepFocus(this.output);
    this.output.replaceChildren();
    this.#offerFiles();
  }

  redraw() {
    if (this.#data === undefined) return;
    const { activeElement } = document;
    const focused = this.output.contains(activeElement) && activeElement.textContent;
    const { length } = findAll(this.output, 'tbody tr');
    this.output.replaceChildren();
    this.view.show(this.output, this.#data, page, this.form);
    this.#offerFiles();
    if (focused === false) return;
    // The button that had the focus has been replaced. If it is gone, focus the first new row.
    const isSame = ({ textContent }) => textContent === focused;
    const place = findAll(this.output, 'button').find(isSame) ?? findAll(this.output, 'tbody tr')[length] ?? this.output;
    if (place.tagName !== 'BUTTON') place.tabIndex = -1;
    place.focus();
  } // prettier-ignore

  async load() {
    this.#call?.abort();
    const call = (this.#call = new AbortController());
    delete this.section.dataset.shown;
    this.#await();
    try {
      const variables = this.view.readVariables(page, this.form);
      color(find(this.section, '[data-variables] code'), print(variables), 'json');
      this.#leadToExplorer(variables);
      const answer = await run(this.query, variables, call.signal);
      if (this.#call === call) this.#show(answer);
    } catch (error) {
      if (this.#call !== call || call.signal.aborted) return;
      this.#empty();
      say(this.state, error.message);
      this.#offerRetry();
    } finally {
      if (this.#call === call) this.section.removeAttribute('aria-busy');
      this.#offerFiles();
    }
  }

  #offerRetry() {
    const isShop = this.section.id === 'shop';
    const onclick = () => (isShop ? restart(true) : onTiles((tile) => tile.retry()));
    const again = element('button', { type: 'button', className: 'btn small', textContent: 'Try again', onclick });
    this.state.append(again);
    if (document.activeElement === this.section) again.focus();
    if (isShop) stopWaiting();
  }

  /** Other tiles have often failed for the same reason. */
  retry() {
    if (find(this.state, 'button') !== null) void this.load();
  }

  #show({ data, errors = [], extensions }) {
    this.#data = data;
    if (data) this.redraw();
    else this.#empty();
    say(this.state, '');
    const refused = errors.find((each) => each.extensions?.code === 'UNAUTHORIZED');
    if (refused) {
      restart(false);
      return askForKey(refused.message);
    }
    if (data) this.section.dataset.shown = errors.length === 0 ? 'whole' : 'partly';
    // One missing scope may be reported by several fields.
    const texts = new Set(errors.map(({ message }) => message));
    this.state.append(...[...texts].map((textContent) => element('span', { className: 'problem', textContent })));
    if (!data) this.#offerRetry();
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
      // A spreadsheet would run a formula at the beginning, or after any delimiter that programs of any country split at.
      const safe = /^-?[\d.]+$/.test(text)
        ? text
        : text.replace(/(?<![^;|\t\r\n])(?=['" ]*[=+\-@＝＋－＠])|^(?=['" ]*[\t\r\n])/g, "'");
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

// The period and the currency of the page, also in the URL.
const periodForm = find(document, '[data-period]');
const currencyField = periodForm.elements.currency;
const [noCurrency] = currencyField.options;
let currencies = [];
const words = new URLSearchParams(location.search);
const page = {
  isReady: false,
  isPeriodChosen: words.has('period'),
  /** Its code; null for orders without a currency, undefined if there are no orders. */
  get currency() {
    return currencies[currencyField.selectedIndex];
  },
  get period() {
    return readPeriod(periodForm.elements);
  },
  get periodName() {
    const { period } = periodForm.elements;
    return period.options[period.selectedIndex].dataset.length;
  },
  /** Sets a period and a currency with data, unless the user chose one. */
  begin(name, all) {
    if (page.isReady) return;
    if (!page.isPeriodChosen) periodForm.elements.period.value = name;
    currencies = all;
    const options = all.map((currency) => element('option', { textContent: nameOf(currency) }));
    currencyField.replaceChildren(...(all.length > 0 ? options : [noCurrency]));
    const wanted = new URLSearchParams(location.search).get('currency');
    const chosen = all.findIndex((currency) => nameOf(currency) === wanted);
    currencyField.selectedIndex = Math.max(0, chosen);
    page.isReady = true;
    startPeriod();
    // It may have dates or a currency that this shop does not have.
    if (location.search !== '') keepInAddress();
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
    currencyField.value = name;
    currencyField.dispatchEvent(new globalThis.Event('change', { bubbles: true }));
  },
};
const switches = () => [
  ...findAll(periodForm, 'select, input'),
  ...findAll(document, '[data-view=orders-by-day] input, [data-view=breakdown] input'),
];
for (const field of switches()) {
  const value = words.get(field.name);
  if (value === null) continue;
  if (field.type === 'radio') field.checked = field.value === value;
  else field.value = value;
  // A period that does not exist.
  if (field.selectedIndex < 0 && field !== currencyField) field.selectedIndex = 0;
}
showDates();
function keepInAddress() {
  const now = new URLSearchParams();
  for (const field of switches()) if (field.type === 'radio' ? field.checked && !field.defaultChecked : field.value !== '') now.set(field.name, field.value);
  history.replaceState(history.state, '', `?${now}${location.hash}`);
} // prettier-ignore
periodForm.addEventListener('change', ({ target }) => {
  // A date that is still being typed.
  if (!target.checkValidity()) return;
  say(refusedDate, '');
  page.isPeriodChosen = true;
  startPeriod();
  keepInAddress();
});
const refusedDate = find(document, '[data-refused-date]');
for (const type of ['focusout', 'keydown'])
  periodForm.addEventListener(type, ({ target, key = 'Enter' }) => {
    if (key !== 'Enter' || target.checkValidity()) return;
    showDates();
    say(refusedDate, `${target.ariaLabel} must be a date from ${target.min} to ${target.max}. Restored ${target.value}.`);
  }); // prettier-ignore

async function load(section) {
  try {
    return new Tile(section, await import(`./${section.dataset.view}.js`));
  } catch {
    say(find(section, '[data-state]'), 'This tile did not load: reload the page.');
    section.removeAttribute('aria-busy');
    if (section.id === 'shop') stopWaiting();
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

const onTiles = (use) => tiles.forEach((tile) => tile.then((loaded) => loaded && use(loaded)));
const onPeriod = (use) => onTiles((tile) => tile.view.waitsForPeriod === true && use(tile));

function startPeriod() {
  showDates();
  onPeriod((tile) => tile.reload());
}

const stopWaiting = () => onPeriod((tile) => tile.clear());

document.addEventListener('submit', (event) => event.preventDefault());

// The drawer: each object has its own URL. Back shows the previous object, or closes the drawer.
const drawer = find(document, '#drawer');
const objectPath = /^#(product|order|collection)\/(.+)$/;
/** The number of history entries to the one without an object. */
let depth = history.state?.depth ?? 0;
if (depth === 0 && objectPath.test(location.hash)) {
  const { hash, pathname, search } = location;
  history.replaceState(null, '', pathname + search);
  history.pushState({ depth: (depth = 1) }, '', hash);
}
async function openFromAddress() {
  const [, kind, name] = objectPath.exec(location.hash) ?? [];
  if (kind === undefined || !hasKey) {
    drawer.close();
    if (kind !== undefined) askForKey('The dashboard needs a key. It is sent only to this server.');
    return;
  }
  const detail = await tiles.get('detail');
  if (detail === undefined) return;
  // A hand-written URL that cannot be decoded is used as it is.
  detail.view.choose(kind, attempt(() => decodeURIComponent(name)) ?? name);
  detail.clear();
  void page.showOrdersOf([]);
  if (!drawer.open) drawer.showModal();
  find(drawer, '[data-close]').focus();
  await detail.load();
}
addEventListener('hashchange', () => {
  const isObject = objectPath.test(location.hash);
  depth = history.state?.depth ?? (isObject ? depth + 1 : 0);
  if (isObject) history.replaceState({ depth }, '');
  void openFromAddress();
});
drawer.addEventListener('close', () => objectPath.test(location.hash) && history.go(-depth));
drawer.addEventListener('click', ({ target, detail }) => {
  // The second click of a double-click that opened it.
  if (detail > 1) return;
  if (target === drawer || target.closest('[data-close]') !== null) drawer.close();
});

function restart(isUsable) {
  hasKey = isUsable;
  // Another shop may have another period.
  page.isReady = false;
  document.documentElement.toggleAttribute('data-key', isUsable);
  forgetWaiting();
  onTiles((tile) => tile.restart());
  void openFromAddress();
}
onCredential(restart);
// A stored key may still be being checked.
if (document.documentElement.dataset.key === undefined) restart(false);
