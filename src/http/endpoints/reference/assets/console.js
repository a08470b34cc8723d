// The consoles of /reference: show the call of a form in every language, send it over REST and its equivalent over
// GraphQL, and compare the responses.
import './snippets.js';
import { areTwins, showAnswer } from './answer.js';
import {
  addressOf,
  askForKey,
  authorization,
  chooseTab,
  color,
  element,
  find,
  findAll,
  print,
  send,
  sendOperation,
} from './shell.js';

/** The values of the form, for both surfaces. */
function readCall(form) {
  const variables = JSON.parse(form.dataset.variables);
  const query = [];
  const headers = [];
  const missing = [];
  let path = form.dataset.path;
  let id;
  for (const field of findAll(form, '[data-in]')) {
    const { value, name } = field;
    const { in: place, target, type } = field.dataset;
    if (place === 'path') {
      if (value === '') missing.push(name);
      id = value === '' ? '$PRODUCT_ID' : value;
      path = path.replace(`{${name}}`, value === '' ? id : encodeURIComponent(value));
    }
    if (value === '') continue;
    if (place === 'query') query.push([name, value]);
    if (place === 'header') headers.push([name, value]);
    if (target !== undefined) setMember(variables, target.split('.'), toVariable(type, value));
  }
  return { path, query, headers, variables, missing, id };
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

function showState(form, { response, milliseconds }, comparison, bodies) {
  const left = response.headers.get('RateLimit-Remaining');
  const wait = response.headers.get('Retry-After');
  const state = find(form, '[data-rest-state]');
  state.textContent = [response.status, `${milliseconds} ms`, left && `${left} calls left`, wait && `next in ${wait} s`]
    .filter(Boolean)
    .join(' · ');
  state.classList.toggle('failed', response.status >= 400);
  comparison.replaceChildren(compare(...bodies));
  const code = bodies[0]?.error?.code ?? bodies[1]?.errors?.[0]?.extensions?.code;
  if (code !== undefined && document.getElementById(code) !== null)
    comparison.append(' ', element('a', { href: `#${code}`, textContent: `What ${code} means` })); // prettier-ignore
  form.querySelector('.next')?.remove();
  const cursor = bodies[0]?.next_cursor;
  if (cursor) comparison.after(element('button', { type: 'button', className: 'next', textContent: 'Next page', onclick: () => sendNext(form, cursor) }));
  color(find(form, '[data-headers] code'), [...response.headers].map((pair) => pair.join(': ')).join('\n'), '');
} // prettier-ignore

function sendNext(form, cursor) {
  form.elements.cursor.value = cursor;
  showCall(form);
  form.requestSubmit();
}

function compare(rest, graphql) {
  const areEqual = areTwins(rest, graphql);
  if (areEqual === undefined) return 'At least one response has no data to compare.';
  return areEqual
    ? '= GraphQL returned the same data'
    : 'The responses differ: something changed between the two calls.';
}

async function run(form) {
  const comparison = find(form, '[data-comparison]');
  const { path, query, headers, variables, missing } = readCall(form);
  if (missing.length > 0) {
    comparison.textContent = `${missing.join(', ')}: expected a value, got nothing. Send listProducts to fill it in.`;
    return;
  }
  try {
    const header = await authorization();
    if (header === undefined) {
      askForKey('Add a key to send calls. It is sent only to this server.');
      return;
    }
    comparison.textContent = 'Waiting for both responses…';
    const search = new URLSearchParams(query);
    const [rest, graphql] = await Promise.all([
      send(search.size === 0 ? path : `${path}?${search}`, { headers: { ...Object.fromEntries(headers), Authorization: header } }),
      sendOperation({ query: find(form, '[data-document] code').textContent, variables }),
    ]); // prettier-ignore
    const bodies = [rest.body, graphql.body];
    for (const [surface, { text, body }] of Object.entries({ rest, graphql }))
      showAnswer(find(form, `[data-${surface}-response] code`), text, body);
    showState(form, rest, comparison, bodies);
    chooseTab(find(form, '.answer [role=tab]'));
    if (rest.response.status === 401) askForKey(bodies[0]?.error?.message ?? 'The key was rejected.');
    fillProductId(bodies[0]);
  } catch (error) {
    comparison.textContent = error.message;
  }
}

/** Uses a product of a listing as the example for getProduct. */
function fillProductId(body) {
  const field = document.getElementById('getProduct-productId');
  const [first] = Array.isArray(body?.data) ? body.data : [];
  if (field.value !== '' || first?.variant_count === undefined) return;
  field.value = first.id;
  showCall(field.form);
}

for (const form of findAll(document, 'form.console')) {
  // The server has already written the call for the origin that it knows; behind a proxy, the page may have another.
  if (!find(form, '[data-snippet=curl]').textContent.includes(`"${location.origin}`)) showCall(form);
  form.addEventListener('input', () => showCall(form));
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(form);
  });
}
