export interface CircuitBreakerOptions {
  /** Number of consecutive failures that opens the circuit. */
  readonly failures: number;
  /** How long the circuit stays open before one request may try again. */
  readonly openMilliseconds: number;
}

export function createCircuitBreaker(options: CircuitBreakerOptions) {
  let failures = 0;
  let openUntil = 0;
  let isProbing = false;
  const isOpen = () => failures >= options.failures;
  return {
    admit() {
      if (!isOpen()) return true;
      if (isProbing || Date.now() < openUntil) return false;
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
      if (isOpen()) openUntil = Date.now() + options.openMilliseconds;
    },
    abandoned() {
      isProbing = false;
    },
  };
}
