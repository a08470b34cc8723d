// Sends operations to /graphql of the server that the page came from.
import { messageOf, sendOperation } from '../../reference/assets/shell.js';

/**
 * When the rate limit of the key allows requests again, in milliseconds of the page's clock. All views wait for it, so
 * that none is refused needlessly, and the page says so once.
 */
let opensAt = 0;
let opening = Promise.resolve();
const notice = document.querySelector('[data-wait]');

/** A new key has a limit of its own. */
export function forgetWaiting() {
  opensAt = 0;
  notice.textContent = '';
}

function wait(seconds, reason) {
  const end = performance.now() + seconds * 1000;
  if (end <= opensAt) return;
  opensAt = end;
  notice.textContent = `${reason} Next attempt at ${new Date(Date.now() + seconds * 1000).toLocaleTimeString('en')}.`;
  opening = new Promise((resolve) => setTimeout(resolve, seconds * 1000)).then(() => {
    if (opensAt === end) forgetWaiting();
  });
}

/**
 * Runs an operation. After a 429 or 503, waits for Retry-After and retries.
 * @returns The response: data, errors and extensions, also in GraphQL's form when the whole call was refused
 * @throws Error if there is no response, or the call was aborted
 */
export async function run(query, variables, signal) {
  for (;;) {
    while (performance.now() < opensAt) await opening;
    const headers = { 'X-GraphQL-Cost': '1' };
    const answer = await sendOperation({ query, variables }, { headers, signal });
    const { response: { status, headers: received }, body } = answer; // prettier-ignore
    const retryAfter = Number(received.get('Retry-After') ?? 0);
    if ((status === 429 || status === 503) && retryAfter > 0) {
      wait(retryAfter, messageOf(answer));
      continue;
    }
    if (body?.data === undefined && !Array.isArray(body?.errors)) throw new Error(messageOf(answer));
    return body;
  }
}
