// Sends operations to /graphql of the server that the page came from.
import { sendOperation } from '../../reference/assets/shell.js';

/**
 * When the rate limit of the key allows requests again, in milliseconds of the page's clock. All views wait for it, so
 * that none is refused needlessly.
 */
let opensAt = 0;
/** The reason for the wait. */
let reason;

/** A new key has a limit of its own. */
export function forgetWaiting() {
  opensAt = 0;
}

/**
 * Runs an operation. After a 429 or 503, waits for Retry-After and retries.
 * @param options.onWait Called with a sentence each time
 * @returns The response: data, errors and extensions, also in GraphQL's form when the whole call was refused
 * @throws Error if there is no response, or the call was aborted
 */
export async function run(query, variables, { signal, onWait }) {
  for (;;) {
    await waitUntil(() => opensAt, signal, onWait);
    const headers = { 'X-GraphQL-Cost': '1' };
    const { response, body } = await sendOperation({ query, variables }, { headers, signal });
    if (body === undefined) throw new Error(`Invalid JSON: status ${response.status}.`);
    const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
    if (!(response.status === 429 || response.status === 503) || retryAfter === 0) return body;
    opensAt = Math.max(opensAt, performance.now() + retryAfter * 1000);
    reason = body.errors[0].message;
  }
}

async function waitUntil(readTime, signal, onWait) {
  for (;;) {
    const milliseconds = readTime() - performance.now();
    if (milliseconds <= 0) return;
    onWait(`${reason} Next attempt at ${new Date(Date.now() + milliseconds).toLocaleTimeString('en')}.`);
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }
}
