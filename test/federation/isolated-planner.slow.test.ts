import { execFileSync } from 'node:child_process';
import { createApolloGateway } from '../../src/federation/gateway/apollo-gateway';
import { createGatewayExecutor } from '../../src/federation/gateway/create-gateway-executor';
import type { IsolatedPlanner } from '../../src/federation/plan/isolated-planner';
import { createIsolatedPlanner, planMilliseconds } from '../../src/federation/plan/isolated-planner';
import { runTypeScript } from '../support/run-typescript';
import { createTestGateway, toJson } from './support/in-process-gateway';
import { createManualTimer } from './support/manual-timer';
import { deadlyQuery, insured, insuredQuery, parcelSubgraphs } from './support/parcels';
import { readSupergraphNow } from './support/read-supergraph';

const { gateway, run } = createTestGateway(parcelSubgraphs);
const started: IsolatedPlanner[] = [];
function start(): IsolatedPlanner {
  const planner = createIsolatedPlanner(gateway.supergraphSdl);
  started.push(planner);
  return planner;
}
afterEach(() => {
  for (const planner of started.splice(0)) planner.retire();
  jest.restoreAllMocks();
});

const unplannable = { code: 'BAD_USER_INPUT', message: expect.stringMatching(/^No query plan was found/) as string };
const unplanned = { errors: [{ message: unplannable.message, extensions: { code: unplannable.code } }] };
const question = (source: string) => ({ source, operationName: undefined, percentage: 0 });
const isPlan = { kind: 'QueryPlan' };

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** All running planners. Dead processes that were not yet reaped have the state Z. */
const planners = (): { id: number; parent: number }[] =>
  execFileSync('ps', ['-e', '-o', 'pid=,ppid=,stat=,args='])
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [, id, parent] = /^\s*(\d+)\s+(\d+)\s+[^Z].*planner-process/.exec(line) ?? [];
      return id === undefined ? [] : [{ id: Number(id), parent: Number(parent) }];
    });

describe('an operation that the planner panics on', () => {
  it('does not fail operations that wait for a plan behind it', async () => {
    const planner = start();
    const plans = await Promise.allSettled(
      [
        deadlyQuery('first'),
        '{ parcels { id isInsured } }',
        deadlyQuery('second'),
        '{ parcels { route { cost(currency: "EUR") } isInsured } }',
      ].map((source) => planner.plan(question(source))),
    );

    expect(plans).toMatchObject([
      { reason: unplannable },
      { value: isPlan },
      { reason: unplannable },
      { value: isPlan },
    ]);
  });

  it('does not affect operations in flight', async () => {
    let load = (): void => undefined;
    const loaded = new Promise<void>((resolve) => (load = resolve));
    const underWay = run(insuredQuery, { context: { loaded } });
    for (const { id, parent } of planners()) if (parent === process.pid) process.kill(id, 'SIGKILL');
    load();

    expect(toJson(await underWay)).toEqual(insured);
  });

  it("ends no second process, and is refused with the planner's message for the log", async () => {
    const planner = start();
    const cause = { message: expect.stringMatching(/SIGABRT[^]*panicked at/) as string };
    await expect(planner.plan(question(deadlyQuery()))).rejects.toMatchObject({ ...unplannable, cause });
    await planner.plan(question(insuredQuery));
    const { processId } = planner;
    await expect(planner.plan(question(deadlyQuery()))).rejects.toMatchObject(unplannable);

    expect(planner.processId).toBe(processId);
  });
});

it('an operation that the planner does not plan is answered with the same error', async () => {
  expect(toJson(await run('{ parcels { policies { parcel { isInsured } } } }'))).toMatchObject(unplanned);
});

describe('a planner that is killed externally', () => {
  it('is started again by the next operation', async () => {
    const planner = start();
    await planner.load();
    const { processId = 0 } = planner;
    process.kill(processId, 'SIGKILL');

    expect(await planner.plan(question(insuredQuery))).toMatchObject(isPlan);
    expect(planner.processId).not.toBe(processId);
  });

  it('is not blamed on the operation that it was planning', async () => {
    const planner = start();
    await planner.load();
    const { processId = 0 } = planner;
    process.kill(processId, 'SIGSTOP');
    const plan = planner.plan(question(insuredQuery));
    process.kill(processId, 'SIGKILL');

    expect(await plan).toMatchObject(isPlan);
  });
});

it('an operation that takes the planner too long is answered with an error, and waiting operations are planned', async () => {
  const timer = createManualTimer();
  const planner = start();
  await planner.load();
  process.kill(planner.processId ?? 0, 'SIGSTOP');
  const slow = planner.plan(question(insuredQuery));
  const next = planner.plan(question('{ parcels { id isInsured } }'));
  await until(() => timer.pending().includes(planMilliseconds));
  timer.fire(planMilliseconds);

  await expect(slow).rejects.toMatchObject(unplannable);
  expect(await next).toMatchObject(isPlan);
  expect(timer.pending()).toEqual([]);
});

describe('the process of a planner', () => {
  it('exits when it is retired and all requests are done, and restarts only for further ones', async () => {
    const planner = start();
    const plan = planner.plan(question(insuredQuery));
    planner.retire();

    expect(await plan).toMatchObject(isPlan);
    await until(() => planner.processId === undefined);
    expect(await planner.plan(question(insuredQuery))).toMatchObject(isPlan);
    await until(() => planner.processId === undefined);
  });

  it('exists once per gateway, for the supergraph in use, and not after the gateway has stopped', async () => {
    const before = new Set(planners().map(({ id }) => id));
    const own = () => planners().filter(({ id, parent }) => parent === process.pid && !before.has(id)).length;
    const source = {
      async start(offer: (supergraphSdl: string) => void | Promise<void>) {
        await offer(gateway.supergraphSdl);
        await offer(`${gateway.supergraphSdl}\n# anew`);
      },
      stop: () => Promise.resolve(),
    };
    const executorFor = () => () => ({});
    const apollo = createApolloGateway({
      source,
      createExecutor: (supergraphSdl) =>
        createGatewayExecutor({ supergraph: readSupergraphNow(supergraphSdl), executorFor }),
    });
    const used: string[] = [];
    apollo.onSchemaLoadOrUpdate(({ coreSupergraphSdl }) => used.push(coreSupergraphSdl));
    await apollo.load({ apollo: {} });
    await until(() => own() === 1);
    await apollo.stop();
    await until(() => own() === 0);

    expect(used.at(-1)).toMatch(/anew$/);
  });

  it('does not keep its parent alive, and exits with it', async () => {
    const { code, stdout, stderr } = await runTypeScript('federation/support/plan-and-end.ts', [
      gateway.supergraphSdl,
      insuredQuery,
    ]);

    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^QueryPlan \d+/) as string,
    });
    const processId = Number(stdout.split(' ')[1]);
    await until(() => !planners().some(({ id }) => id === processId));
  });
});

it('a supergraph that the planner rejects is refused before it is used', async () => {
  const planner = createIsolatedPlanner('type Query {');

  await expect(planner.load()).rejects.toThrow();
  await expect(planner.plan(question('{ nothing }'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await until(() => planner.processId === undefined);
});
