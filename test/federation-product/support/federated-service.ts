import { askGraphql } from '../../support/graphql-client';
import { seedApiKey, seedProduct, seedShop } from '../../support/seed';
import type { Service } from '../../support/service';
import { startService } from '../../support/service';
import type { ManualTimer } from '../../federation/support/manual-timer';
import { createManualTimer } from '../../federation/support/manual-timer';

export const pollMilliseconds = 10_000;
/** Not the time limit of the query planner. */
export const timeoutMilliseconds = 1_100;

/** Longer than any pause between two attempts, shorter than any other wait. */
const longestPause = 500;

export interface FederatedService extends Service {
  readonly timer: ManualTimer;
  /** Queries /graphql and skips the pauses between attempts. */
  ask(credential: string, query: string, variables?: Record<string, unknown>): ReturnType<typeof askGraphql>;
  /** Triggers the next poll, and waits until the log reports its outcome. */
  poll(outcome: RegExp): Promise<string>;
}

/** All services of a test file have one. */
let shared: ManualTimer | undefined;

/** The real service with other subgraphs around it, and a clock that the test controls. */
export async function startFederatedService(
  settings: Readonly<Record<string, string>>,
  rateLimit = 10_000,
): Promise<FederatedService> {
  const timer = (shared ??= createManualTimer());
  const service = await startService({
    settings: { SUBGRAPH_TIMEOUT_MS: String(timeoutMilliseconds), ...settings },
    rateLimit,
  });
  return {
    ...service,
    timer,
    async ask(credential, query, variables) {
      let isAnswered = false;
      const answer = askGraphql(service.origin, credential, query, variables).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered) {
        for (const pause of timer.pending()) if (pause < longestPause) timer.fire(pause);
        await turn();
      }
      return answer;
    },
    async poll(outcome) {
      const before = service.log.length;
      timer.fire(pollMilliseconds);
      const said = () =>
        service.log
          .slice(before)
          .map(({ msg }) => String(msg))
          .find((line) => outcome.test(line));
      while (!timer.pending().includes(pollMilliseconds)) await turn();
      const line = said();
      if (line === undefined) throw new Error(`The poll said ${JSON.stringify(service.log.slice(before))}`);
      return line;
    },
  };
}

/** Lets the rest of the process run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface SeededShop {
  readonly shopId: string;
  readonly apiKey: string;
  /** Titled Teapot and Cup. */
  readonly products: readonly [string, string];
}

export async function seedTeaShop({ sql }: Service): Promise<SeededShop> {
  const shopId = await seedShop(sql);
  const { apiKey } = await seedApiKey(sql, shopId);
  const teapot = await seedProduct(sql, shopId, { title: 'Teapot', vendor: 'Acme' });
  const cup = await seedProduct(sql, shopId, { title: 'Cup', vendor: null });
  return { shopId, apiKey, products: [teapot, cup] };
}
