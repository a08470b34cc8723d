import type { FileHandle } from 'node:fs/promises';
import type { Format } from '../formats/format';
import type { PlatformClient } from './platform-client';
import type { PullStore } from './pull-store';

/** The types of objects that can be pulled. A platform may lack some. */
export const pulledTypes = ['products', 'collections', 'orders'] as const;
export type PulledType = (typeof pulledTypes)[number];

/** One pull of one shop. */
export interface PullTask {
  readonly client: PlatformClient;
  /** Keeps the files and the progress, so that an interrupted pull resumes. */
  readonly store: PullStore;
  /** The shop's origin, with the path of WordPress if it has one. */
  readonly url: URL;
  /** Resolves after a delay. Passed in, so that tests do not wait for polls and retries. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Reports progress to the person who started the pull. */
  readonly log: (line: string) => void;
}

/** An e-commerce platform whose API can be pulled from. */
export interface Platform {
  /** The file format of each type that can be pulled. */
  readonly formats: Readonly<Partial<Record<PulledType, Format>>>;
  /** Authorizes with the platform. @returns a function that fetches all objects of one type into a file */
  open(task: PullTask): Promise<(type: PulledType, file: FileHandle) => Promise<void>>;
}
