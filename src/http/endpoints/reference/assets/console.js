// The calls of a page: shows each as its form is filled in, in every language, sends it over REST and its equivalent
// over GraphQL, or over GraphQL alone, and compares the responses.
import {
  addressOf,
  askForKey,
  authorization,
  color,
  element,
  find,
  findAll,
  hasDemoKey,
  messageOf,
  onCredential,
  print,
  send,
  sendOperation,
} from './shell.js';

/** The values of the form, for both surfaces. */
function readCall(form) {
  const variables = JSON.parse(form.dataset.variables.replace(/[A-Z]+_ID/, (name) => form.foundId ?? name));
  const query = [];
  const headers = [];
  let { path } = form.dataset;
  let id;
  for (const field of findAll(form, '[data-in]')) {
    const { value, name } = field;
    const { in: place, target, type } = field.dataset;
    if (place === 'path') {
      id = value || '$PRODUCT_ID';
      path = path.replace(`{${name}}`, value === '' ? id : encodeURIComponent(value));
    }
    if (value === '') continue;
    if (place === 'query') query.push([name, value]);
    if (place === 'header') headers.push([name, value]);
    if (target !== undefined) setMember(variables, target.split('.'), toVariable(type, value));
  }
  return { path, query, headers, variables, id };
}

function setMember(holder, [member, ...others], value) {
  if (others.length === 0) holder[member] = value;
  else setMember((holder[member] ??= {}), others, value);
}

/** Invalid numbers and booleans are sent as text, so that the server reports what it expects. */
function toVariable(type, text) {
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

function showCall(form) {
  const { path, query, headers, variables, id } = readCall(form);
  const origin = addressOf('').href.replace(/\/$/, '');
  const call = { origin, address: location.origin + path, query, headers, id, clientCall: form.dataset.client };
  for (const pre of findAll(form, '[data-snippet]'))
    color(find(pre, 'code'), globalThis.snippets.write(pre.dataset.snippet, call), pre.dataset.colors);
  color(find(form, '[data-graphql-variables] code'), print(variables), 'json');
}

/** Fills in a missing object id: that of the first object of the list of the key's shop. */
async function fillId(form, call) {
  const { list } = form.dataset;
  const field = find(form, '[data-in=path]');
  if (list === undefined || field?.value || (field === null && form.foundId)) return;
  const answer = await sendOperation({ query: `{ ${list}(first: 1) { nodes { id } } }` });
  const id = answer.body?.data?.[list]?.nodes[0]?.id;
  if (answer.body?.errors && answer.response.status !== 401) throw new Error(messageOf(answer));
  if (id === undefined || form.call !== call) return;
  form.foundId = id;
  if (field !== null) field.value = id;
  showCall(form);
}

/** Where a page shows a sample until a call is sent. */
const samplePlaces =
  '[data-rest-response] code, [data-graphql-response] code, [data-headers] code, [data-state], [data-comparison]';

/** Another key has other objects: forgets the responses, and the id that no person entered. */
function reset(form) {
  form.call = undefined;
  const { foundId } = form;
  delete form.foundId;
  const field = find(form, '[data-in=path]');
  // The server has filled in one of the demo shop.
  const value = hasDemoKey() ? field?.defaultValue : '';
  const isOther = field !== null && field.value !== value && [foundId, field.defaultValue, ''].includes(field.value);
  if (isOther) field.value = value;
  if (isOther || foundId !== undefined) showCall(form);
  find(form, '.next')?.remove();
  for (const [place, nodes] of form.samples ?? []) {
    place.classList.remove('failed');
    place.closest('.answer')?.classList.remove('real');
    place.replaceChildren(...nodes);
    delete place.whole;
  }
}

async function run(form) {
  // A newer call replaces it.
  const call = (form.call = Symbol('call'));
  const box = form.closest('.op, .live');
  form.samples ??= findAll(box, samplePlaces).map((place) => [place, [...place.childNodes]]);
  const state = find(box, '[data-state]');
  // Where the page compares both responses.
  const said = find(box, '[data-comparison]') ?? state;
  try {
    const header = await authorization();
    if (header === undefined) return askForKey('Add a key to send this call. The key is sent only to this server.');
    said.classList.remove('failed');
    said.textContent = 'Waiting…';
    await fillId(form, call);
    const { path, query, headers, variables } = readCall(form);
    const search = new URLSearchParams(query);
    const [graphql, rest = graphql] = await Promise.all([
      sendOperation({ query: find(form, '[data-document] code').textContent, variables }),
      path && send(search.size === 0 ? path : `${path}?${search}`, { headers: { ...Object.fromEntries(headers), Authorization: header } }),
    ]);
    if (form.call !== call) return;
    for (const [surface, { text, body }] of Object.entries({ rest, graphql })) {
      const code = find(box, `[data-${surface}-response] code`);
      if (code !== null) showAnswer(code, text, body);
    }
    showState(state, rest);
    if (rest.response.status === 401) askForKey(messageOf(rest));
    if (said !== state) showComparison(form, said, rest, graphql);
    form.dispatchEvent(new globalThis.CustomEvent('answer', { detail: rest.body }));
  } catch ({ message }) {
    if (form.call !== call) return;
    said.classList.add('failed');
    said.textContent = message;
  }
} // prettier-ignore

/** Shows a response, marked as real; lines after the hundredth are folded. */
function showAnswer(code, text, body) {
  code.closest('.answer').classList.add('real');
  // Keep the content below in place when a response is shorter.
  const box = code.parentElement;
  box.style.minHeight ||= `${box.offsetHeight}px`;
  code.whole = body === undefined ? text : print(body);
  const lines = code.whole.split('\n');
  color(code, lines.slice(0, 100).join('\n'), 'json');
  if (lines.length <= 100) return;
  const onclick = () => color(code, code.whole, 'json');
  code.append(element('button', { type: 'button', className: 'unfold', textContent: `Show all ${lines.length} lines`, onclick }));
} // prettier-ignore

function showState(state, { response: { status, headers }, body, milliseconds }) {
  const left = headers.get('RateLimit-Remaining');
  const wait = headers.get('Retry-After');
  state.textContent = [
    status,
    `${milliseconds} ms`,
    left && `${left} ${left === '1' ? 'call' : 'calls'} left`,
    wait && `retry in ${wait} s`,
  ]
    .filter(Boolean)
    .join(' · ');
  state.classList.toggle('failed', status >= 400 || body?.errors !== undefined);
}

function showComparison(form, said, { response, body }, { body: twin }) {
  said.replaceChildren(compare(body, twin));
  const code = body?.error?.code ?? twin?.errors?.[0]?.extensions?.code;
  if (code !== undefined && document.getElementById(code) !== null)
    said.append(' ', element('a', { href: `#${code}`, textContent: `What ${code} means` }));
  find(form, '.next')?.remove();
  const cursor = body?.next_cursor;
  if (cursor && form.elements.cursor) said.after(element('button', { type: 'button', className: 'next', textContent: 'Next page', onclick: () => sendNext(form, cursor) }));
  const shown = find(form, '[data-headers] code');
  if (shown !== null) color(shown, [...response.headers].map((pair) => pair.join(': ')).join('\n'), '');
} // prettier-ignore

function sendNext(form, cursor) {
  form.elements.cursor.value = cursor;
  showCall(form);
  form.requestSubmit();
}

function compare(rest, graphql) {
  if (rest?.data === undefined || !graphql?.data) return 'At least one response has no data to compare.';
  const [found] = Object.values(graphql.data);
  const pairs = [
    [rest.data, found?.nodes ?? found],
    [rest.has_more, found?.pageInfo?.hasNextPage],
  ];
  return pairs.every((pair) => JSON.stringify(pair[0]) === JSON.stringify(pair[1]))
    ? '= GraphQL returned the same data'
    : 'The responses differ: something changed between the two calls.';
}

for (const form of findAll(document, 'form[data-variables]')) {
  // The server has already written the call for the origin that it knows; behind a proxy, the page may have another.
  const shown = find(form, '[data-snippet=curl]');
  if (shown !== null && !shown.textContent.includes(`"${location.origin}`)) showCall(form);
  onCredential(() => reset(form));
  form.addEventListener('input', () => showCall(form));
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(form);
  });
  find(form, '[data-explore]')?.addEventListener('click', ({ currentTarget }) => {
    const textOf = (selector) => find(form, selector)?.textContent ?? '';
    const asked = { query: textOf('[data-document]'), variables: textOf('[data-graphql-variables]') };
    currentTarget.hash = new URLSearchParams(asked).toString();
  });
}
