// The examples of /reference/graphql: runs a query and shows what it returns, or opens it in the explorer.
import { askForKey, authorization, color, find, findAll, print, sendOperation } from './shell.js';
import { showAnswer } from './answer.js';

const textOf = (form, selector) => form.querySelector(`${selector} code`)?.textContent;

/** Variables that identify an object get the id of the first one in the list. */
async function fillIds(form) {
  const { list } = form.dataset;
  if (list === undefined || form.dataset.filled) return;
  const { body } = await sendOperation({ query: `{ ${list}(first: 1) { nodes { id } } }` });
  const id = body?.data?.[list]?.nodes[0]?.id;
  if (id === undefined) return;
  const filled = Object.entries(JSON.parse(textOf(form, '[data-variables]'))).map(([name, value]) => [name, Array.isArray(value) ? [id] : id]);
  color(find(form, '[data-variables] code'), print(Object.fromEntries(filled)), 'json');
  form.dataset.filled = 'yes';
} // prettier-ignore

async function run(form) {
  if ((await authorization()) === undefined) {
    askForKey('Add a key to run this. It is sent only to this server.');
    return;
  }
  const answer = find(form.closest('article'), '[data-answer]');
  const state = find(answer, '[data-state]');
  state.textContent = 'Waiting…';
  try {
    await fillIds(form);
    const variables = JSON.parse(textOf(form, '[data-variables]') ?? '{}');
    const { text, body, response, milliseconds } = await sendOperation({
      query: textOf(form, '[data-document]'),
      variables,
    });
    state.textContent = `${response.status} · ${milliseconds} ms`;
    state.classList.toggle('failed', response.status >= 400 || body?.errors !== undefined);
    showAnswer(find(answer, 'code'), text, body);
  } catch ({ message }) {
    state.textContent = message;
    state.classList.add('failed');
  }
}

for (const form of findAll(document, '[data-example]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(form);
  });
  form.querySelector('[data-explore]')?.addEventListener('click', ({ currentTarget }) => {
    const asked = { query: textOf(form, '[data-document]'), variables: textOf(form, '[data-variables]') ?? '' };
    currentTarget.hash = new URLSearchParams(asked).toString();
  });
}
