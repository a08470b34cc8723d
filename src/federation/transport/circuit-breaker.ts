import type { Clock } from '../../clock';

export interface CircuitBreakerOptions {
  /** Failures in a row after which the subgraph is left alone. */
  readonly failures: number;
  /** How long it is left alone before one request may try again. */
  readonly openMilliseconds: number;
}

/** Spares a subgraph that is down, and its callers the wait: after some failures in a row nobody asks it for a while. */
export interface CircuitBreaker {
  /** Whether a request may go out. After the pause only one may, until its outcome is known. */
  admit(): boolean;
  succeeded(): void;
  failed(): void;
  /** The request ended without saying anything about the subgraph: its client went away. */
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
