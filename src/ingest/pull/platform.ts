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
  readonly types: readonly PulledType[];
  /** Only what changed since then, in ISO 8601; undefined for everything. */
  readonly since: string | undefined;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  readonly log: (line: string) => void;
}

/** The answers of a platform about one type, in a format of files. */
export interface PulledFile {
  readonly name: string;
  readonly format: Format;
  readonly handle: FileHandle;
}

export interface Platform {
  pull(task: PullTask): Promise<readonly PulledFile[]>;
}
