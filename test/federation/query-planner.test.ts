import { loadQueryPlanner, QueryPlannerUnavailable } from '../../src/federation/plan/load-query-planner';
import type { PlanQuestion } from '../../src/federation/plan/planner-messages';
import { createQueryPlans } from '../../src/federation/plan/query-plans';

describe('the query planner', () => {
  it('loads on this platform', () => {
    expect(loadQueryPlanner()).toEqual(expect.any(Function));
  });

  it('that does not load says which platforms have it, and that the rest works', () => {
    const load = () => {
      throw new Error('Cannot find native binding.');
    };

    expect(() => loadQueryPlanner(load)).toThrow(QueryPlannerUnavailable);
    expect(() => loadQueryPlanner(load)).toThrow(/Linux with glibc .* and macOS .*\. Everything else works/);
  });
});

describe('plans', () => {
  function setUp(overridePercentages: number[] = [], random = () => 0) {
    const planned: PlanQuestion[] = [];
    const planner = {
      plan: (question: PlanQuestion) => {
        planned.push(question);
        return question.source === 'bad'
          ? Promise.reject(new Error('bad'))
          : Promise.resolve({ kind: 'QueryPlan' } as const);
      },
    };
    return { planned, plans: createQueryPlans({ planner, overridePercentages, maxPlans: 2, random }) };
  }

  it('are made once, also for requests that come at the same time', async () => {
    const { plans, planned } = setUp();
    await Promise.all([plans.planFor('a', undefined), plans.planFor('a', undefined)]);
    await plans.planFor('a', undefined);

    expect(planned).toHaveLength(1);
  });

  it('are told apart by the name of the operation', async () => {
    const { plans, planned } = setUp();
    await plans.planFor('a', 'A');
    await plans.planFor('a', 'B');

    expect(planned).toHaveLength(2);
  });

  it('are forgotten beyond their number', async () => {
    const { plans, planned } = setUp();
    for (const source of ['a', 'b', 'c', 'a']) await plans.planFor(source, undefined);

    expect(planned).toHaveLength(4);
  });

  it('that failed are not kept', async () => {
    const { plans, planned } = setUp();
    await expect(plans.planFor('bad', undefined)).rejects.toThrow('bad');
    await expect(plans.planFor('bad', undefined)).rejects.toThrow('bad');

    expect(planned).toHaveLength(2);
  });

  it('follow a progressive @override: one per share of the requests', async () => {
    const draws = [0.1, 0.25, 0.5, 0.9];
    const { plans, planned } = setUp([30], () => draws.shift() ?? 0);
    for (let request = 0; request < 4; request += 1) await plans.planFor('a', undefined);

    expect(planned.map(({ percentage }) => percentage)).toEqual([10, 50]);
  });
});
