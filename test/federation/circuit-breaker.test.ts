import { createCircuitBreaker } from '../../src/federation/transport/circuit-breaker';

type Step = 'admitted' | 'refused' | 'succeeded' | 'failed' | 'abandoned' | number;

/** Two failures open it for ten seconds. A number lets as many seconds pass. */
const cases: readonly (readonly [rule: string, steps: readonly Step[]])[] = [
  ['is closed at first', ['admitted', 'admitted', 'admitted']],
  ['stays closed below its number of failures', ['failed', 'admitted']],
  ['opens at its number of failures', ['failed', 'failed', 'refused']],
  ['counts consecutive failures only', ['failed', 'succeeded', 'failed', 'admitted']],
  ['opens after as many failures in a row', ['failed', 'succeeded', 'failed', 'failed', 'refused']],
  ['stays open until its time is over', ['failed', 'failed', 9.999, 'refused']],
  ['admits one request when its time is over', ['failed', 'failed', 10, 'admitted', 'refused', 'refused']],
  ['waits for the outcome of that one, however long', ['failed', 'failed', 10, 'admitted', 100, 'refused']],
  ['closes when that one succeeds', ['failed', 'failed', 10, 'admitted', 'succeeded', 'admitted', 'admitted']],
  ['opens for as long again when that one fails', ['failed', 'failed', 10, 'admitted', 'failed', 9.999, 'refused']],
  ['admits one again after that', ['failed', 'failed', 10, 'admitted', 'failed', 10, 'admitted', 'refused']],
  ['admits the next one when the client of that one left', ['failed', 'failed', 10, 'admitted', 'abandoned', 'admitted', 'refused']], // prettier-ignore
  ['is no more closed by a client that left', ['failed', 'abandoned', 'failed', 'refused']],
  ['is not opened by clients that leave', ['abandoned', 'abandoned', 'abandoned', 'admitted']],
  ['is closed only by a success', ['failed', 'failed', 10, 'admitted', 'abandoned', 'admitted', 'failed', 'refused']],
  ['needs all its failures to open after a success', ['failed', 'failed', 10, 'admitted', 'succeeded', 'failed', 'admitted']], // prettier-ignore
  ['prolongs its time by failures of requests from before', ['failed', 'failed', 5, 'failed', 9.999, 'refused', 0.001, 'admitted']], // prettier-ignore
];

it.each(cases)('the circuit breaker %s', (_rule, steps) => {
  let now = 0;
  const breaker = createCircuitBreaker({ failures: 2, openMilliseconds: 10_000 }, () => now);
  const seen = steps.map((step) => {
    if (typeof step === 'number') now += Math.round(step * 1_000);
    else if (step === 'admitted' || step === 'refused') return breaker.admit() ? 'admitted' : 'refused';
    else breaker[step]();
    return step;
  });
  expect(seen).toEqual(steps);
});
