// The consoles of /reference: sends the call of a form over REST and its twin over GraphQL, and compares what comes back. Talks to the
// server that the page came from, and to no other; keeps the credential in memory.

/** A path of the API, found from this file's own address, /reference/assets/console.js, which may be under a path of the server. */
const addressOf = (path) => new URL(`../../${path}`, import.meta.url);

const find = (root, selector) => root.querySelector(selector);

/** @type {{ authorization: string, expiresAt?: number, renew?: () => Promise<void> } | undefined} */
let credential;

const show = (element, text) => {
  element.textContent = text;
};

const credentialState = find(document, '[data-credential-state]');

function useKey(key, words = 'The API key is used') {
  credential = { authorization: `Bearer ${key}` };
  show(credentialState, `${words} by all consoles below.`);
}

/** @throws Error that says why there is no token */
async function fetchToken(clientId, clientSecret, scopes) {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length > 0) body.set('scope', scopes.join(' '));
  // RFC 6749 2.3.1: both halves are form-encoded before they are joined.
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const response = await fetch(addressOf('oauth/token'), {
    method: 'POST',
    // Otherwise the browser itself asks for a password when the secret is wrong.
    credentials: 'omit',
    headers: { Authorization: `Basic ${btoa(pair)}` },
    body,
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error}: ${answer.error_description}`);
  credential = {
    authorization: `Bearer ${answer.access_token}`,
    expiresAt: performance.now() + answer.expires_in * 1000,
    renew: () => fetchToken(clientId, clientSecret, scopes),
  };
  show(
    credentialState,
    `A token with ${answer.scope} is used by all consoles below, and renewed after ${answer.expires_in} seconds.`,
  );
}

find(document, '[data-credential=key]').addEventListener('submit', (event) => {
  event.preventDefault();
  const key = event.target.elements.key.value.trim();
  if (key === '') show(credentialState, 'API key: expected a key, got nothing.');
  else useKey(key);
});

find(document, '[data-credential=client]').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { client_id: id, client_secret: secret } = event.target.elements;
  const scopes = [...event.target.querySelectorAll('[name=scope]:checked')].map(({ value }) => value);
  try {
    await fetchToken(id.value.trim(), secret.value.trim(), scopes);
  } catch (error) {
    show(credentialState, `No token. ${error.message}`);
  }
});

/** What the form says, for both surfaces. */
function readCall(form) {
  const variables = JSON.parse(form.dataset.variables);
  const query = new URLSearchParams();
  const headers = {};
  const missing = [];
  let path = form.dataset.path;
  for (const field of form.querySelectorAll('[data-in]')) {
    const { value, name } = field;
    const { in: place, target, type } = field.dataset;
    if (place === 'path') {
      if (value === '') missing.push(name);
      path = path.replace(`{${name}}`, value === '' ? `{${name}}` : encodeURIComponent(value));
    }
    if (value === '') continue;
    if (place === 'query') query.set(name, value);
    if (place === 'header') headers[name] = value;
    if (target !== undefined) setMember(variables, target.split('.'), toVariable(type, value));
  }
  return { target: query.size === 0 ? path : `${path}?${query}`, headers, variables, missing };
}

function setMember(holder, [member, ...others], value) {
  if (others.length === 0) holder[member] = value;
  else setMember((holder[member] ??= {}), others, value);
}

/** What is no number or boolean goes as text: the server then says what it expects. */
function toVariable(type, text) {
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

function showCall(form) {
  const { target, variables, headers } = readCall(form);
  const lines = Object.entries(headers).map(([name, value]) => `  -H '${name}: ${value}' \\\n`);
  const call = `curl -H "Authorization: Bearer $KEY" \\\n${lines.join('')}  "${location.origin}${target}"`;
  show(find(form, '[data-rest-call] code'), call);
  show(find(form, '[data-graphql-variables] code'), JSON.stringify(variables, null, 2));
}

async function send(address, options) {
  const start = performance.now();
  const response = await fetch(address, { ...options, cache: 'no-store', credentials: 'omit' });
  const text = await response.text();
  return { response, text, milliseconds: Math.round(performance.now() - start) };
}

/** @returns The body, if it is JSON */
function showAnswer(form, surface, { response, text, milliseconds }) {
  const left = response.headers.get('RateLimit-Remaining');
  const wait = response.headers.get('Retry-After');
  const parts = [
    `Status ${response.status}`,
    `${milliseconds} ms`,
    ...(left === null ? [] : [`${left} requests left`]),
    ...(wait === null ? [] : [`next attempt in ${wait} s`]),
  ];
  const body = parse(text);
  const output = find(form, `[data-${surface}-response]`);
  output.hidden = text === '';
  show(find(output, 'code'), body === undefined ? text : JSON.stringify(body, null, 2));
  const state = find(form, `[data-${surface}-state]`);
  show(state, `${parts.join(', ')}.`);
  const code = body?.error?.code ?? body?.errors?.[0]?.extensions?.code;
  if (document.getElementById(code) !== null) {
    const link = Object.assign(document.createElement('a'), { href: `#${code}`, textContent: `What ${code} means` });
    state.append(' ', link);
  }
  return body;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The objects of a REST body, and of the data of its twin, in the same form. */
const objectsOfRest = (body) => ({ data: body.data, more: body.has_more ?? false });
function objectsOfGraphql(body) {
  const [root] = Object.values(body.data);
  return { data: root?.nodes ?? root, more: root?.pageInfo?.hasNextPage ?? false };
}

/** Whatever the order of members. */
function isEqual(one, other) {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isEqual(one[name], other[name]));
}

function compare(rest, graphql) {
  if (rest?.data === undefined || !graphql?.data) return 'At least one side has no data to compare.';
  return isEqual(objectsOfRest(rest), objectsOfGraphql(graphql))
    ? 'Both sides returned equal data.'
    : 'The sides returned different data: something changed between the two calls.';
}

async function run(form) {
  const comparison = find(form, '[data-comparison]');
  const { target, headers, variables, missing } = readCall(form);
  if (missing.length > 0) {
    show(comparison, `${missing.join(', ')}: expected a value, got nothing. Running listProducts fills it in.`);
    return;
  }
  if (credential === undefined) {
    show(comparison, 'Expected a credential, got none: fill in a key or client credentials at the top of the page.');
    find(document, '[data-credential=key]').elements.key.focus();
    return;
  }
  show(comparison, 'Waiting for both answers…');
  try {
    // A minute early: clocks and networks are not exact.
    if (credential.expiresAt !== undefined && performance.now() > credential.expiresAt - 60_000)
      await credential.renew();
    const { authorization } = credential;
    const [rest, graphql] = await Promise.all([
      send(target, { headers: { ...headers, Authorization: authorization } }),
      send(addressOf('graphql'), {
        method: 'POST',
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: find(form, '[data-document] code').textContent, variables }),
      }),
    ]);
    const bodies = [showAnswer(form, 'rest', rest), showAnswer(form, 'graphql', graphql)];
    show(comparison, compare(...bodies));
    fillProductId(bodies[0]);
  } catch (error) {
    show(comparison, `No answer: ${error.message}.`);
  }
}

/** A list of products names one for getProduct. */
function fillProductId(body) {
  const field = document.getElementById('getProduct-productId');
  const [first] = Array.isArray(body?.data) ? body.data : [];
  if (field.value !== '' || first?.variant_count === undefined) return;
  field.value = first.id;
  showCall(field.form);
}

for (const form of document.querySelectorAll('form.console')) {
  showCall(form);
  form.addEventListener('input', () => showCall(form));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(form);
  });
}

// A phone shows the content first.
if (matchMedia('(max-width: 60rem)').matches) find(document, 'nav details').open = false;

const demoKey = find(document, 'meta[name=demo-key]')?.content;
if (demoKey !== undefined) {
  find(document, '[data-credential=key]').elements.key.value = demoKey;
  useKey(demoKey, 'The key of the demo shop is used');
}
