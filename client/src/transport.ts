import type { Credentials } from './credentials.ts';
import { demandSignal } from './credentials.ts';
import { CatalogError, isTransient } from './errors.ts';
import type { HttpAnswer, HttpCall, TransportParts } from './exchange.ts';
import { exchange, readLines } from './exchange.ts';
import type { Pace } from './pace.ts';

export interface Transport {
  /**
   * Sends a call and retries transient failures within the wait budget.
   * @param read converts the response to a value, or throws
   */
  send<Value>(call: HttpCall, read: (answer: HttpAnswer) => Value, signal?: AbortSignal): Promise<Value>;
  /** Sends a call once, as soon as the rate limit allows it, and streams the lines of its response. */
  stream(call: HttpCall, signal?: AbortSignal): AsyncGenerator<readonly string[], void, undefined>;
}

/** Retries after failures without `Retry-After`, over about half a minute. */
const mostBlindRetries = 5;

export function createTransport(parts: TransportParts & { credentials: Credentials; pace: Pace }): Transport {
  const { credentials, pace, clock, random, waitBudgetMs } = parts;

  const attempt = async <Value>(
    call: HttpCall,
    read: (answer: HttpAnswer) => Value,
    signal: AbortSignal | undefined,
    mayRenew = true,
  ): Promise<Value> => {
    const authorization = await credentials.get(signal);
    const answer = await exchange(
      { ...call, headers: { ...call.headers, Authorization: `Bearer ${authorization}` } },
      parts,
      signal,
    );
    pace.observe(answer.headers);
    // A refused token gets 429 when the address has sent too many.
    const isRefused = answer.status === 401 || answer.headers.get('WWW-Authenticate')?.includes('invalid_token');
    if (isRefused && mayRenew && credentials.forget(authorization)) return attempt(call, read, signal, false);
    return read(answer);
  };

  return {
    async *stream(call, signal) {
      await pace.admit(waitBudgetMs, signal);
      const headers = { ...call.headers, Authorization: `Bearer ${await credentials.get(signal)}` };
      yield* readLines({ ...call, headers }, parts, pace.observe, signal);
    },

    async send(call, read, signal) {
      demandSignal(signal);
      let budget = waitBudgetMs;
      for (let blindRetries = 0; ;) {
        budget -= await pace.admit(budget, signal);
        try {
          return await attempt(call, read, signal);
        } catch (error) {
          if (!(error instanceof CatalogError) || !isTransient(error)) throw error;
          const { code, retryAfterMs } = error;
          if (retryAfterMs === undefined && blindRetries >= mostBlindRetries) throw error;
          const wait = retryAfterMs ?? 1000 * 2 ** blindRetries++;
          if (code === 'RATE_LIMITED') pace.block(wait);
          if (wait > budget) throw error;
          // All calls of the key wait for its rate limit in `admit`.
          if (code === 'RATE_LIMITED') continue;
          const rest = wait * (1 + random() / 10);
          await clock.sleep(rest, signal);
          budget -= rest;
        }
      }
    },
  };
}
