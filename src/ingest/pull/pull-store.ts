import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTemporary } from '../source/temporary-file';
import { pullFailure } from './platform-client';

/** What a pull asks for: another one cannot be continued with its files. */
export interface PullRequest {
  readonly platform: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly since: string | null;
}

/** How far the pull of one type has come, as its platform describes it. */
export type Progress = Readonly<Record<string, unknown>>;

interface Stored {
  readonly request: PullRequest;
  readonly startedAt: string;
  readonly progress: Readonly<Record<string, Progress>>;
}

/** Older answers than this are fetched again: the catalog would go back in time. */
const longestRestMilliseconds = 24 * 3_600_000;

/**
 * Holds the answers of a platform until they are imported: in files without a name, of which nothing remains however
 * the process ends, or in a directory of the user's, where an interrupted pull is continued.
 */
export class PullStore {
  readonly #files = new Set<FileHandle>();

  private constructor(
    private readonly directory: string | undefined,
    private stored: Stored,
  ) {}

  /**
   * @param now of the beginning of this pull
   * @throws AdministrationError when the directory has another pull
   */
  static async open(directory: string | undefined, request: PullRequest, now: Date): Promise<PullStore> {
    const fresh: Stored = { request, startedAt: now.toISOString(), progress: {} };
    if (directory === undefined) return new PullStore(undefined, fresh);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const earlier = await readStored(join(directory, stateName));
    if (earlier === undefined) return new PullStore(directory, fresh);
    if (now.getTime() - Date.parse(earlier.startedAt) > longestRestMilliseconds) return new PullStore(directory, fresh);
    if (JSON.stringify(earlier.request) !== JSON.stringify(request)) {
      const { platform, url, types, since } = earlier.request;
      throw pullFailure(
        `${directory}: has a pull of ${types.join(', ')} from ${platform} at ${url}${since === null ? '' : ` since ${since}`} ` +
          'that is not finished: repeat that command, or name another directory',
      );
    }
    return new PullStore(directory, earlier);
  }

  /** When the pull began, in ISO 8601: the shop is as new as this. */
  get startedAt(): string {
    return this.stored.startedAt;
  }

  /** The file for the answers about a type, to be written at positions. It has at least what the progress speaks of. */
  async file(type: string): Promise<FileHandle> {
    const file =
      this.directory === undefined ? await openTemporary() : await openKept(join(this.directory, `${type}.ndjson`));
    this.#files.add(file);
    return file;
  }

  progress(type: string): Progress | undefined {
    return this.stored.progress[type];
  }

  /** Notes how far a type has come. Undefined begins it again. */
  async note(type: string, progress: Progress | undefined): Promise<void> {
    const { [type]: _, ...others } = this.stored.progress;
    this.stored = { ...this.stored, progress: progress === undefined ? others : { ...others, [type]: progress } };
    if (this.directory === undefined) return;
    const path = join(this.directory, stateName);
    await writeFile(`${path}.new`, JSON.stringify(this.stored), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** Closes the files; those of a directory are removed when they have been imported. */
  async close({ isImported }: { readonly isImported: boolean }): Promise<void> {
    for (const file of this.#files) await file.close();
    this.#files.clear();
    if (this.directory === undefined || !isImported) return;
    for (const name of [stateName, ...this.stored.request.types.map((type) => `${type}.ndjson`)]) {
      await rm(join(this.directory, name), { force: true });
    }
  }
}

const stateName = 'pull.json';

async function readStored(path: string): Promise<Stored | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Stored;
  } catch {
    throw pullFailure(`${path}: expected the state of a pull: remove it, or name another directory`);
  }
}

async function openKept(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return open(path, 'wx+', 0o600);
  }
}
