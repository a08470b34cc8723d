import { loadQueryPlanner, QueryPlannerUnavailable } from '../../src/federation/plan/load-query-planner';
import type { PlanQuestion } from '../../src/federation/plan/isolated-planner';
import { createQueryPlans } from '../../src/federation/plan/query-plans';

describe('the query planner', () => {
  it('loads on this platform', () => {
    expect(loadQueryPlanner()).toEqual(expect.any(Function));
  });

  it('that does not load is reported with the supported platforms, and that the rest works', () => {
    const load = () => {
      throw new Error('Cannot find native binding.');
    };

    expect(() => loadQueryPlanner(load)).toThrow(QueryPlannerUnavailable);
    expect(() => loadQueryPlanner(load)).toThrow(
      /Linux with glibc .* and macOS .*\. Without subgraphs, everything else works/,
    );
  });
});

describe('plans', () => {
  function setUp() {
    const planned: PlanQuestion[] = [];
    const planner = {
      plan: (question: PlanQuestion) => {
        planned.push(question);
        return question.source === 'bad'
          ? Promise.reject(new Error('bad'))
          : Promise.resolve({ kind: 'QueryPlan' } as const);
      },
    };
    const bounds = { totalBytes: 4_000, bytesPerOwner: 1_500 };
    const plans = createQueryPlans({ planner, overridePercentages: [], random: () => 0, ...bounds });
    const planFor = (source: string, operationName?: string, owner = 'shop') =>
      plans.planFor({ source, operationName, owner });
    return { planned, planFor };
  }

  it('are computed once, also for concurrent requests', async () => {
    const { planFor, planned } = setUp();
    await Promise.all([planFor('a'), planFor('a')]);
    await planFor('a');

    expect(planned).toHaveLength(1);
  });

  it('are distinguished by the name of the operation', async () => {
    const { planFor, planned } = setUp();
    await planFor('a', 'A');
    await planFor('a', 'B');

    expect(planned).toHaveLength(2);
  });

  it('are evicted beyond their size, and those of others are not', async () => {
    const { planFor, planned } = setUp();
    await planFor('other', undefined, 'other shop');
    for (const source of ['a', 'b', 'c', 'a']) await planFor(source);
    await planFor('other', undefined, 'other shop');

    expect(planned.map(({ source }) => source)).toEqual(['other', 'a', 'b', 'c', 'a']);
  });

  it('that failed are not cached', async () => {
    const { planFor, planned } = setUp();
    await expect(planFor('bad')).rejects.toThrow('bad');
    await expect(planFor('bad')).rejects.toThrow('bad');

    expect(planned).toHaveLength(2);
  });
});
