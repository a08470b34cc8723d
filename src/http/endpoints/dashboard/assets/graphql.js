// Sends operations to /graphql of the server that the page came from.
import { sendOperation } from '../../reference/assets/shell.js';

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
    const { response, body } = await sendOperation({ query, variables }, { headers, signal });
    if (body === undefined) throw new Error(`The response is not JSON (status ${response.status}).`);
    const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
    if (!(response.status === 429 || response.status === 503) || retryAfter === 0) return body;
    wait(retryAfter, body.errors[0].message);
  }
}
