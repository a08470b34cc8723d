import { createCircuitBreaker } from '../../src/federation/transport/circuit-breaker';
import { readRows } from '../support/read-rows';

type Step = 'admitted' | 'refused' | 'succeeded' | 'failed' | 'abandoned' | number;

/** Two failures open it for ten seconds. A number advances the clock by that many seconds. */
const cases = readRows<readonly [rule: string, steps: readonly Step[]]>(__dirname, 'circuit-breaker.json');

afterEach(() => jest.restoreAllMocks());

it.each(cases)('the circuit breaker %s', (_rule, steps) => {
  let now = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const breaker = createCircuitBreaker({ failures: 2, openMilliseconds: 10_000 });
  const seen = steps.map((step) => {
    if (typeof step === 'number') now += Math.round(step * 1_000);
    else if (step === 'admitted' || step === 'refused') return breaker.admit() ? 'admitted' : 'refused';
    else breaker[step]();
    return step;
  });
  expect(seen).toEqual(steps);
});
