// On every page: theme, key, menu, search, copying, tabs. Talks to the server that the page came from, and to no other.
import './highlight.js';

/** The URL of a path of the server, from this file's own URL, …/reference/assets/shell.js, which may have a prefix. */
export const addressOf = (path) => new URL(`../../${path}`, import.meta.url);

export const find = (root, selector) => root.querySelector(selector);
export const findAll = (root, selector) => [...root.querySelectorAll(selector)];

const root = document.documentElement;

/** @param children elements and texts; what comes from a shop is text, never markup */
export function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Whether this server has the picture: others are not requested. */
export const isOurs = (url) => /\/demo\/[^/]+\.svg$/.test(url ?? '');

export function thumbnail(url, size, className = '') {
  if (!isOurs(url)) return element('span', { className: `no-picture ${className}` });
  return element('img', { src: addressOf(url.split('/').slice(-2).join('/')), width: size, height: size, alt: '', loading: 'lazy', className });
} // prettier-ignore

/** The link to a product in the dashboard. */
export const productLink = (id) => `#product/${id}`;

/** JSON for people. */
export const print = (value) => globalThis.highlight.print(value);

/** Code as colored spans; its content is text, never markup. */
export function color(place, text, language) {
  place.replaceChildren(
    ...globalThis.highlight.tokens(text, language).map(([kind, part]) => {
      if (kind === undefined) return part;
      return element('span', { className: kind, textContent: part });
    }),
  );
}

/** The result of a function; undefined if it throws, as storage does in some browsers. */
export const attempt = (use) => {
  try {
    return use();
  } catch {
    return undefined;
  }
};
const keep = (storage, name, value) =>
  attempt(() =>
    value === undefined ? globalThis[storage].removeItem(name) : globalThis[storage].setItem(name, value),
  );
const kept = (storage, name) => attempt(() => globalThis[storage].getItem(name)) ?? undefined;

// The overlays: the key and the menu are popovers, the search is a dialog.
const keyBox = find(document, '#key');
document.addEventListener('focusin', ({ target }) => {
  if (target.closest('#key, .key') === null) keyBox.togglePopover(false);
});
document.addEventListener('click', ({ target }) => {
  if (target.closest('[data-search]') !== null) void openSearch();
  else if (target === palette || target.closest('[data-closes], #hits a') !== null) palette.close();
  else if (target.closest('#menu a') !== null) find(document, '#menu').hidePopover();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, select, textarea, [contenteditable], .CodeMirror, .monaco-editor') !== null;
  if (!((event.key === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !isTyping))) return;
  event.preventDefault();
  void openSearch();
}); // prettier-ignore

// Theme: light, dark, or the system's.
const themes = ['light', 'dark', 'system'];
function showTheme() {
  const label = `Theme: ${root.dataset.theme ?? 'system'}`;
  for (const button of findAll(document, '[data-theme-switch]'))
    Object.assign(button, { title: label, ariaLabel: label });
}
for (const button of findAll(document, '[data-theme-switch]'))
  button.addEventListener('click', () => {
    const name = themes[(themes.indexOf(root.dataset.theme ?? 'system') + 1) % themes.length];
    if (name === 'system') delete root.dataset.theme;
    else root.dataset.theme = name;
    keep('localStorage', 'catalog-theme', root.dataset.theme);
    showTheme();
  });
showTheme();

// The key of all pages. The HTML has no password field: programs that read it would mistake the page for a login.
for (const secret of findAll(document, '[data-secret]')) secret.type = 'password';
const keyForm = find(document, '[data-credential=key]');
const keyState = find(document, '[data-key-state]');
const keyName = find(document, '[data-key-name]');
const keyButton = find(document, '.key');
const demoKey = find(document, 'meta[name=demo-key]')?.content;

/** @type {{ header: string, expiresAt?: number, renew?: () => Promise<void> } | undefined} */
let credential;
/** Pending until the server has checked the entered key. */
let entering;
const listeners = new Set();

export const hasDemoKey = () => demoKey !== undefined && credential?.header === `Bearer ${demoKey}`;

/** Calls `listener` whenever the credential changes or is lost, and now if there is one. */
export function onCredential(listener) {
  listeners.add(listener);
  if (credential !== undefined) listener(true);
}

/** The Authorization header; undefined without a credential. @throws Error that says why there is no token */
export async function authorization() {
  await entering;
  // A minute early: clocks and networks are not exact. By Date.now(): performance.now() stops while a computer sleeps.
  if (credential?.expiresAt !== undefined && Date.now() > credential.expiresAt - 60_000) await credential.renew();
  return credential?.header;
} // prettier-ignore

/** Opens the key's overlay with a reason: the only place that reports a missing or wrong key. */
export function askForKey(reason) {
  if (credential !== undefined) {
    if (!keyButton.classList.contains('wrong')) keyName.textContent += ' was rejected';
    keyButton.classList.add('wrong');
  }
  // A key that was refused when it was entered keeps its reason.
  if (credential !== undefined || !keyButton.classList.contains('wrong')) keyState.textContent = reason;
  keyBox.togglePopover(true);
}

/** @param state empty, `none` without a key, `wrong` if it was refused */
function use(given, state, name, text) {
  credential = given;
  root.toggleAttribute('data-key', given !== undefined);
  keyButton.classList.remove('wrong', 'none');
  if (state !== '') keyButton.classList.add(state);
  keyName.textContent = name;
  keyState.textContent = text;
  for (const listener of listeners) listener(given !== undefined);
}

async function fetchToken({ id, secret, scopes }) {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length > 0) body.set('scope', scopes.join(' '));
  // RFC 6749 2.3.1: both halves are form-encoded before they are joined.
  const pair = [id, secret].map(encodeURIComponent).join(':');
  const headers = { Authorization: `Basic ${btoa(pair)}` };
  const { response, body: answer } = await send(addressOf('oauth/token'), { method: 'POST', headers, body });
  const { ok, status: cause } = response;
  if (!ok) throw new Error(answer ? `${answer.error}: ${answer.error_description}` : `Status ${cause}.`, { cause });
  /** All calls share one renewal. */
  let renewing;
  const own = {
    header: `Bearer ${answer.access_token}`,
    expiresAt: Date.now() + answer.expires_in * 1000,
    renew: () => (renewing ??= renew().finally(() => (renewing = undefined))),
  };
  const renew = async () => {
    const renewed = await fetchToken({ id, secret, scopes });
    // The user may have entered another key meanwhile.
    if (credential === own) credential = renewed;
  };
  return own;
}

/** Stored in this tab: a key, or a client with its secret; its message, and how it was refused. */
const readKept = () => JSON.parse(kept('sessionStorage', 'catalog-key') ?? 'null');
const keepKey = (entered) => keep('sessionStorage', 'catalog-key', entered && JSON.stringify(entered));

const nameOf = ({ client }) => (client ? 'Your client' : 'Your key');
const refuse = (refused) => use(undefined, 'wrong', `${nameOf(refused)} ${refused.refusal}`, refused.text);
/** @param error Its cause is the status of the response; without one, or if the server is busy, the key may be valid. */
const toRefused = (entered, { message: text, cause }) => ({
  ...entered,
  text,
  refusal: cause < 429 ? 'was rejected' : 'could not be checked',
});
const toCredential = ({ key, client }) => (client ? fetchToken(client) : { header: `Bearer ${key}` });

/** Checks a key with the server before any page uses it. @throws Error with the reason if it is rejected */
async function check({ header }) {
  const answer = await send(addressOf('v1/shop'), { headers: { Authorization: header } });
  const { response: { status }, body } = answer; // prettier-ignore
  if (body?.data) return `Shop: ${body.data.name ?? body.data.domain}.`;
  // The key is valid, but may not read the shop.
  if (status === 403 && body?.error) return `Could not read the shop: ${messageOf(answer)}`;
  throw new Error(messageOf(answer), { cause: status === 401 ? status : undefined });
}

/** The last choice of a key wins, whichever check finishes last. */
let choice;

async function enter(entered) {
  const own = (choice = Symbol('choice'));
  keyState.textContent = 'Checking…';
  try {
    const given = await toCredential(entered);
    entered.text = await check(given);
    if (choice !== own) return;
    keepKey(entered);
    keyForm.reset();
    const hint = readKept() === null ? 'This browser does not store the key: enter it on each page.' : 'All pages in this tab use this key.';
    use(given, '', nameOf(entered), `${entered.text} ${hint}`);
    keyBox.togglePopover(false);
  } catch (error) {
    if (choice !== own) return;
    const refused = toRefused(entered, error);
    keepKey(refused);
    refuse(refused);
  }
} // prettier-ignore

async function useKept(entered) {
  const { refusal, ...given } = entered;
  if (refusal === 'was rejected') return refuse(entered);
  if (refusal) return enter(given);
  const own = (choice = Symbol('choice'));
  try {
    const credentialOfTab = await toCredential(entered);
    if (choice !== own) return;
    use(credentialOfTab, '', nameOf(entered), `${entered.text} All pages in this tab use this key.`);
  } catch (error) {
    if (choice === own) refuse(toRefused(entered, error));
  }
}

keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const { key, client_id: id, client_secret: secret } = keyForm.elements;
  const given = key.value.trim();
  // Headers allow only printable ASCII; the error of fetch would be unclear.
  if (given !== '' && !/^[\x21-\x7e]+$/.test(given)) keyState.textContent = 'Expected printable ASCII characters without spaces.';
  else if (given !== '') entering = enter({ key: given });
  else if (id.value.trim() !== '') {
    const scopes = findAll(keyForm, '[name=scope]:checked').map(({ value }) => value);
    entering = enter({ client: { id: id.value.trim(), secret: secret.value.trim(), scopes } });
  } else keyState.textContent = 'Enter a key, or a client ID and its secret.';
}); // prettier-ignore

const keyHint = keyState.textContent;
function useGivenKey() {
  if (demoKey === undefined) use(undefined, 'none', 'Add a key', keyHint);
  else use({ header: `Bearer ${demoKey}` }, '', 'Demo key', `The demo shop's key. ${keyHint}`);
}
for (const button of findAll(document, '[data-forget]'))
  button.addEventListener('click', () => {
    choice = undefined;
    keepKey(undefined);
    keyForm.reset();
    useGivenKey();
    keyBox.togglePopover(false);
  });
const ofTab = readKept();
if (ofTab === null) useGivenKey();
else entering = useKept(ofTab);
// A page restored by the Back button still has the old key.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && JSON.stringify(readKept()) !== JSON.stringify(ofTab)) location.reload();
});

// Copying: the button confirms it for a while. The copied text contains the key, the visible text $KEY.
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (button === null) return;
  const shown = shownCode(button);
  const text = button.dataset.copy || (shown?.whole ?? shown?.textContent ?? '');
  const key = credential?.header.replace(/^Bearer /, '');
  await navigator.clipboard?.writeText(key === undefined ? text : text.replaceAll('$KEY', () => key));
  find(button, '.said')?.remove();
  const said = element('span', {
    className: 'said',
    role: 'status',
    textContent: navigator.clipboard ? 'Copied' : 'Copying requires HTTPS',
  });
  button.append(said);
  setTimeout(() => said.remove(), 1500);
});
const shownCode = (button) => find(button.closest('.code'), 'pre:not([hidden], [hidden] *) code');

// Tabs: arrow keys move; the chosen language applies to all boxes and pages.
function chooseTab(tab) {
  const list = tab.closest('[role=tablist]');
  const chosen = tab.getAttribute('aria-controls');
  for (const other of findAll(list, '[role=tab]')) {
    const isChosen = other === tab;
    other.setAttribute('aria-selected', String(isChosen));
    other.tabIndex = isChosen ? 0 : -1;
    const panel = document.getElementById(other.getAttribute('aria-controls'));
    if (panel !== null) panel.hidden = panel.id !== chosen;
  }
  if (tab.dataset.language === undefined) return;
  const copy = find(list.parentElement, '[data-copy]');
  for (const name of ['aria-label', 'title']) copy?.setAttribute(name, `Copy as ${tab.textContent}`);
}
const chooseLanguage = (language) => {
  for (const tab of findAll(document, `[role=tab][data-language="${CSS.escape(language)}"]`)) chooseTab(tab);
};
document.addEventListener('click', (event) => {
  const tab = event.target.closest('[role=tab]');
  if (tab === null) return;
  chooseTab(tab);
  if (tab.dataset.language === undefined) return;
  chooseLanguage(tab.dataset.language);
  keep('localStorage', 'catalog-language', tab.dataset.language);
});
document.addEventListener('keydown', (event) => {
  const tab = event.target.closest('[role=tab]');
  if (tab === null || !['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
  const tabs = findAll(tab.closest('[role=tablist]'), '[role=tab]');
  const next = tabs[(tabs.indexOf(tab) + (event.key === 'ArrowRight' ? 1 : tabs.length - 1)) % tabs.length];
  next.focus();
  next.click();
});
const language = kept('localStorage', 'catalog-language');
if (language !== undefined) chooseLanguage(language);

// Search in the references, fetched on first use: whatever has a name and an anchor there, and their links.
let index;
async function readIndex() {
  const entries = (await Promise.all(['reference', 'reference/graphql'].map(readEntries))).flat();
  // Both pages have the same links.
  return [...new Map(entries.map((entry) => [entry.href, entry])).values()];
}
async function readEntries(path) {
  const { response, text } = await send(addressOf(path));
  if (!response.ok) throw new Error('Search is unavailable. Try again.');
  return findAll(new globalThis.DOMParser().parseFromString(text, 'text/html'), '[data-kind]').map((at) => {
    const { group, kind, name = find(at, 'h2, .mono-h, .name')?.textContent ?? at.textContent } = at.dataset;
    return {
      group,
      kind: kind || at.pathname,
      name,
      text: at.title || (find(at, '.lead, p:not(.crumb, .path)')?.textContent ?? ''),
      more: ['Guides', 'Errors'].includes(group) ? at.textContent : '',
      isFirst: at.matches('.op'),
      href: at.href ?? `${addressOf(path)}#${at.id}`,
    };
  });
}
const palette = find(document, '#palette');
const field = find(palette, 'input');
const hits = find(palette, '#hits');
async function openSearch() {
  if (!palette.open) palette.showModal();
  field.focus();
  field.select();
  try {
    index ??= await readIndex();
    showHits();
  } catch ({ message }) {
    find(palette, '[data-counted]').textContent = message;
  }
}
field.addEventListener('input', showHits);

/** Search terms, with their synonyms. */
const synonyms = new Map(
  Object.entries({
    barcode: 'ean gtin upc isbn', changelog: 'version release breaking', changes: 'webhook event',
    collection: 'category', credentials: 'api auth authentication authorization key login password basic scope permission',
    explorer: 'playground graphiql sandbox', export: 'backup dump download', figures: 'analytics report revenue sales statistics',
    financial: 'payment refund', 'first call': 'quickstart start tutorial example', image: 'photo picture media',
    'language models': 'ai llm agent claude chatgpt', mirroring: 'poll sse stream sync', openapi: 'sdk swagger postman client library codegen',
    pagination: 'offset page pagesize paginate paging perpage', 'query cost': 'complexity depth maxcost points', 'rate limit': 'quota retry throttle throttling backoff',
    readiness: 'health uptime', schema: 'introspection sdl', sort: 'orderby', stock: 'inventory quantity',
    token: 'jwt oauth oauth2 refresh expire expiry', unavailable: 'timeout down outage maintenance',
  }).flatMap(([meant, typed]) => typed.split(' ').map((word) => [word, meant])),
); // prettier-ignore

/** Only letters and digits, singular: `getProducts`, `Get product` and `get_product` are equal. */
const squash = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/s$/, '');

/** Relevance of an entry: its whole name, then parts of it, then its text. 0 means no match. */
function scoreOf({ name, text, kind, more }, words, isTypo) {
  const lower = name.toLowerCase();
  const whole = squash(words.join(''));
  if (squash(name) === whole) return 20;
  if (synonyms.has(whole) && lower.includes(synonyms.get(whole))) return 10;
  const parts = lower.split(/[^a-z0-9]+/);
  const rest = `${kind} ${text} ${more}`.toLowerCase();
  let score = 0;
  for (const word of words) {
    const plain = word.replace(/s$/, '');
    const meant = synonyms.get(plain);
    const isNear = isTypo && parts.some((part) => isOneTypoAway(part, word));
    const found = lower.startsWith(plain) ? 5 : meant !== undefined && lower.includes(meant) ? 4 : lower.includes(plain) || isNear ? 3 : rest.includes(plain) ? 1 : 0;
    if (found === 0) return lower.replace(/[^a-z0-9]+/g, '').startsWith(whole) ? 5 : 0;
    score += found;
  }
  // A guide that mentions it comes before a value of an enum.
  return kind === 'enum' ? score / 8 : score;
} // prettier-ignore

/** One letter added, missing or different, or two swapped; compares the beginning of longer words. */
function isOneTypoAway(part, word) {
  if (word.length < 4) return false;
  let at = 0;
  while (at < word.length && part[at] === word[at]) at += 1;
  const rest = word.slice(at);
  const of = part.slice(at);
  const swapped = rest.slice(1, 2) + rest.slice(0, 1) + rest.slice(2);
  return [of.slice(1).startsWith(rest.slice(1)), of.startsWith(rest.slice(1)), of.slice(1).startsWith(rest), of.startsWith(swapped)].some(Boolean);
} // prettier-ignore

const rankOf = ({ entry }) => ['Guides', 'Errors', 'REST', 'Pages', 'GraphQL'].indexOf(entry.group);

function showHits() {
  if (index === undefined) return;
  const words = field.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const search = (isTypo) =>
    index
      .map((entry) => ({ entry, score: words.length === 0 ? Number(entry.isFirst) : scoreOf(entry, words, isTypo) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || rankOf(one) - rankOf(other) || one.entry.name.length - other.entry.name.length);
  const exact = search(false);
  const found = exact.length > 0 ? exact : search(true);
  const groups = new Map();
  for (const { entry } of found) {
    const group = groups.get(entry.group) ?? [];
    if (group.length < 8) groups.set(entry.group, [...group, entry]);
  }
  hits.replaceChildren(
    ...[...groups].flatMap(([group, entries]) => [
      element('p', { className: 'group', textContent: group }),
      ...entries.map((entry) => toHit(entry)),
    ]),
  );
  if (found.length === 0) hits.append(element('p', { className: 'group', textContent: 'Try the name of a field, a status such as 429, or a guide such as pagination.' }));
  select(find(hits, 'a'));
  find(palette, '[data-counted]').textContent =
    found.length === 0 ? `No results for “${field.value.trim()}”` : `${found.length} of ${index.length} entries`;
} // prettier-ignore

function toHit({ href, name, text, kind }) {
  const hit = element('a', { href, id: `hit-${href}` }, [
    element('span', {}, [element('b', { textContent: name }), element('small', { textContent: text })]),
    element('em', { textContent: kind }),
  ]);
  hit.setAttribute('role', 'option');
  return hit;
}

function select(hit) {
  find(hits, '[aria-selected=true]')?.removeAttribute('aria-selected');
  hit?.setAttribute('aria-selected', 'true');
  if (hit) field.setAttribute('aria-activedescendant', hit.id);
  else field.removeAttribute('aria-activedescendant');
  hit?.scrollIntoView({ block: 'nearest' });
}
field.addEventListener('keydown', (event) => {
  const all = findAll(hits, 'a');
  const at = all.findIndex((hit) => hit.getAttribute('aria-selected') === 'true');
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    select(all[(at + (event.key === 'ArrowDown' ? 1 : all.length - 1)) % all.length]);
  } else if (event.key === 'Enter' && at >= 0) {
    // Closing the search returns the focus, and the key would also press what then has it.
    event.preventDefault();
    all[at].click();
  }
});

// The sections of a page: marks the current one.
const side = find(document, '.docs > .side');
if (side !== null) {
  const links = new Map(findAll(side, 'a[href^="#"]').map((link) => [link.hash.slice(1), link]));
  let current;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = isIntersecting ? links.get(target.id) : undefined;
        if (link === undefined || link === current) continue;
        current?.removeAttribute('aria-current');
        (current = link).setAttribute('aria-current', 'true');
        if (side.scrollHeight > side.clientHeight) link.scrollIntoView({ block: 'nearest' });
      }
    },
    { rootMargin: '-15% 0px -75% 0px' },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section !== null) observer.observe(section);
  }
}

/**
 * Sends a call.
 * @returns the response with its text, its body where that is JSON, and the time it took
 * @throws Error that says what to do if there is no response
 */
export async function send(address, options) {
  const start = performance.now();
  try {
    // With credentials, the browser would show its own password dialog when a client secret is wrong.
    const response = await fetch(address, { ...options, cache: 'no-store', credentials: 'omit' });
    const text = await response.text();
    return { response, text, body: attempt(() => JSON.parse(text)), milliseconds: Math.max(1, Math.round(performance.now() - start)) };
  } catch {
    throw new Error('No response. Check the connection and try again.');
  }
} // prettier-ignore

/** The reason that an error response gives. A gateway in front of the service may send any content. */
export const messageOf = ({ response: { status }, body }) =>
  body?.error?.message ?? body?.errors?.[0]?.message ?? `Unexpected response (status ${status}).`;

/** Sends a GraphQL operation with the key of the page, unless `headers` have their own credential. */
export async function sendOperation(parameters, { headers: given = {}, signal } = {}) {
  const headers = new Headers({ 'Content-Type': 'application/json', ...given });
  const own = await authorization();
  if (own !== undefined && !headers.has('Authorization')) headers.set('Authorization', own);
  return send(addressOf('graphql'), { method: 'POST', headers, body: JSON.stringify(parameters), signal });
}
