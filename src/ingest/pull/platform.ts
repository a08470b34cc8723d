import type { FileHandle } from 'node:fs/promises';
import type { Format } from '../formats/format';
import type { PlatformClient } from './platform-client';
import type { PullStore } from './pull-store';

export const pulledTypes = ['products', 'collections', 'orders'] as const;
export type PulledType = (typeof pulledTypes)[number];

export interface PullTask {
  readonly client: PlatformClient;
  readonly store: PullStore;
  /** The origin of the shop, and a path where WordPress is in one. */
  readonly url: URL;
  /** Only what changed since then, in ISO 8601; undefined for everything. */
  readonly since: string | undefined;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  readonly log: (line: string) => void;
}

export interface Platform {
  /** Of the answers about each type that it has, which are in a file then. */
  readonly formats: Readonly<Partial<Record<PulledType, Format>>>;
  /** Gets what requests are authorized by. @returns what fetches one of its types into a file */
  open(task: PullTask): Promise<(type: PulledType, file: FileHandle) => Promise<void>>;
}
