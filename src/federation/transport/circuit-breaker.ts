import type { Clock } from '../../common/clock';

export interface CircuitBreakerOptions {
  /** Number of consecutive failures that opens the circuit. */
  readonly failures: number;
  /** How long the circuit stays open before one request may try again. */
  readonly openMilliseconds: number;
}

/**
 * Stops requests to a subgraph that is down, and spares callers the wait: after some consecutive failures no request is
 * sent for a while.
 */
interface CircuitBreaker {
  /** Whether a request may be sent. After the pause only one may, until its outcome is known. */
  admit(): boolean;
  succeeded(): void;
  failed(): void;
  /** The request ended without information about the subgraph, because its client disconnected. */
  abandoned(): void;
}

export function createCircuitBreaker(options: CircuitBreakerOptions, clock: Clock): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  let isProbing = false;
  const isOpen = () => failures >= options.failures;
  return {
    admit() {
      if (!isOpen()) return true;
      if (isProbing || clock() < openUntil) return false;
      isProbing = true;
      return true;
    },
    succeeded() {
      failures = 0;
      isProbing = false;
    },
    failed() {
      failures += 1;
      isProbing = false;
      if (isOpen()) openUntil = clock() + options.openMilliseconds;
    },
    abandoned() {
      isProbing = false;
    },
  };
}
