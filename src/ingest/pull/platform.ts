import type { FileHandle } from 'node:fs/promises';
import type { Format } from '../formats/format';
import type { PlatformClient } from './platform-client';
import type { PullStore } from './pull-store';

export const pulledTypes = ['products', 'collections', 'orders'] as const;
export type PulledType = (typeof pulledTypes)[number];

export interface PullTask {
  readonly client: PlatformClient;
  readonly store: PullStore;
  /** The shop's origin, with the path of WordPress if it has one. */
  readonly url: URL;
  /** Only what changed since then, in ISO 8601; undefined for everything. */
  readonly since: string | undefined;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  readonly log: (line: string) => void;
}

export interface Platform {
  /** The file format of each type that can be pulled. */
  readonly formats: Readonly<Partial<Record<PulledType, Format>>>;
  /** Prepares authorization. @returns a function that fetches one type into a file */
  open(task: PullTask): Promise<(type: PulledType, file: FileHandle) => Promise<void>>;
}
