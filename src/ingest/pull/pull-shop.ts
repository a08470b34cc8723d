import type { ImportReport } from '../import-files';
import { importFiles, ImportError } from '../import-files';
import type { Platform, PulledType } from './platform';
import type { PlatformClientOptions } from './platform-client';
import { PlatformClient } from './platform-client';
import { PullStore } from './pull-store';

type ImportOptions = Parameters<typeof importFiles>[1];

type ImportSettings = Pick<
  ImportOptions,
  'shopDomain' | 'replace' | 'allowRemoving' | 'dryRun' | 'clock' | 'lockTimeoutMilliseconds' | 'onCommit'
>;

interface PullOptions extends PlatformClientOptions, ImportSettings {
  readonly platform: Platform;
  readonly platformName: string;
  readonly url: URL;
  readonly types: readonly PulledType[];
  /** Only what changed since then: as the user gave it, and in ISO 8601. */
  readonly since?: { readonly text: string; readonly at: string } | undefined;
  /** Where responses are kept until their import ends, so that an interrupted pull can resume. */
  readonly directory?: string | undefined;
}

/**
 * Downloads a shop from its platform, then imports it in one transaction.
 * @throws AdministrationError (PULL_FAILED) when a download fails; ImportError as importFiles does
 */
export async function pullShop(target: Parameters<typeof importFiles>[0], options: PullOptions): Promise<ImportReport> {
  const { platform, platformName, url, types, since, directory, clock, wait, log } = options;
  const request = { platform: platformName, url: url.href, types, since: since?.text ?? null };
  const store = await PullStore.open(directory, request, new Date(clock()), since?.at);
  let isOver = false;
  try {
    const client = new PlatformClient(options);
    const fetchType = await platform.open({ client, store, url, wait, log });
    const files: ImportOptions['files'][number][] = [];
    for (const type of types) {
      const format = platform.formats[type];
      if (format === undefined) continue;
      const handle = await store.file(type);
      await fetchType(type, handle);
      files.push({ name: `${type} of ${url.host}`, format, handle, isPartial: since !== undefined });
    }
    const report = await importFiles(target, {
      ...options,
      files,
      format: 'auto',
      asOf: store.startedAt,
      onWait: log,
    });
    isOver = true;
    return report;
  } catch (error) {
    // Refused responses would be refused again, and --replace needs newer ones. Errors with a cause come from the
    // database, such as a lock or a conflict, and may not recur.
    isOver = error instanceof ImportError && error.cause === undefined;
    throw error;
  } finally {
    await store.close({ isOver });
  }
}
