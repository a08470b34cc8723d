import { parseAllowance, type Allowance } from '../../src/ingest/allowance';
import { refuseRemoval } from '../../src/ingest/removal-guard';

const removal = (count: number, of: number, read = of - count) => ({
  kind: 'product' as const,
  count,
  of,
  read,
  examples: ['Cup', 'Mug'].slice(0, count),
});

const none = undefined;
type Case = readonly [isAllowed: boolean, allowance: Allowance | undefined, count: number, of: number, read?: number];

const cases: readonly Case[] = [
  [true, none, 0, 0],
  [true, none, 1, 5],
  [true, none, 20, 100],
  [false, none, 21, 100],
  [false, none, 1, 4],
  // Files without any object of the kind do not count as complete, however few objects would be removed.
  [false, none, 1, 100, 0],
  [false, { count: 10 }, 11, 1_000],
  [true, { count: 10 }, 10, 100, 0],
  [true, { percent: 0.5 }, 1, 200],
  [false, { percent: 0.5 }, 2, 200],
]; // prettier-ignore

it.each(cases.map((each) => [each]))('--replace may, under an allowance, remove: %j', ([isAllowed, allowance, count, of, read]) => {
  expect(refuseRemoval([removal(count, of, read)], allowance) === undefined).toBe(isAllowed);
}); // prettier-ignore

it('each kind is within the allowance on its own, and those that are not are named', () => {
  const orders = { ...removal(30, 100), kind: 'order' as const };
  const error = refuseRemoval([removal(40, 1_000), orders], none);
  expect(error?.message).toContain('--replace would remove 30 of 100 orders.');
  // A limit replaces the share for all kinds.
  expect(error?.message).toContain('set --allow-removing 40\n  orders: Cup, Mug, and 28 more');
  expect(refuseRemoval([removal(20, 100), { ...removal(20, 100), kind: 'order' }], none)).toBeUndefined();
});

it.each([
  ['10', { count: 10 }],
  ['35%', { percent: 35 }],
  ['0.5 %', { percent: 0.5 }],
])('the allowance %s is %j', (text, allowance) => {
  expect(parseAllowance(text)).toEqual(allowance);
});

it.each(['', 'all', '-1', '1.5', '101%', '100.001%', '1e3', '5%%'])('%j is not an allowance', (text) => {
  expect(() => parseAllowance(text)).toThrow('a number of objects such as 10, or a percentage up to 100%, such as 35%');
});
