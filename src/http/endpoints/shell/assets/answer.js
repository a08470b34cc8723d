// Shows the response of a call in its box and compares it with its equivalent.
import { color, element, print } from './shell.js';

/** Shows a response, marked as real or as a sample; lines after the hundredth are folded. */
export function showAnswer(code, text, body) {
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

/** The objects of a REST body, and of the equivalent GraphQL data, in the same form. */
const objectsOfRest = (body) => ({ data: body.data, more: body.has_more ?? false });
function objectsOfGraphql(body) {
  const [first] = Object.values(body.data);
  return { data: first?.nodes ?? first, more: first?.pageInfo?.hasNextPage ?? false };
}

/** Whether both surfaces returned the same; undefined if one has no data. */
export function areTwins(rest, graphql) {
  if (rest?.data === undefined || !graphql?.data) return undefined;
  return JSON.stringify(objectsOfRest(rest)) === JSON.stringify(objectsOfGraphql(graphql));
}
