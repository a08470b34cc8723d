import { pulledTypes, type Platform } from '../../src/ingest/pull/platform';
import { pullShop } from '../../src/ingest/pull/pull-shop';
import { now, type ShopUnderImport } from '../ingest/import-harness';

type Options = Partial<Parameters<typeof pullShop>[1]>;

export interface Pulled {
  readonly report: Awaited<ReturnType<typeof pullShop>>;
  /** How long it waited each time, in milliseconds. */
  readonly waits: readonly number[];
  readonly log: readonly string[];
}

/** Pulls from a server on this machine, without waiting. */
export async function pull(
  shop: ShopUnderImport,
  platform: Platform,
  url: URL,
  options: Options = {},
): Promise<Pulled> {
  const waits: number[] = [];
  const log: string[] = [];
  const report = await pullShop(shop.harness.test.database, {
    platform,
    platformName: 'test',
    url,
    shopDomain: shop.domain,
    types: pulledTypes,
    replace: false,
    dryRun: false,
    allowPrivate: true,
    followRedirects: false,
    clock: () => Date.parse(now),
    wait(milliseconds) {
      waits.push(milliseconds);
      return Promise.resolve();
    },
    log: (line) => void log.push(line),
    ...options,
  });
  return { report, waits, log };
}

/** The message of a failed pull. */
export async function failure(pulling: Promise<unknown>): Promise<string> {
  try {
    await pulling;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('expected the pull to fail');
}
