import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { chmod, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../../common/data-directory';
import { parseJson } from '../../common/parse-json';
import { openTemporary } from '../../common/temporary-file';
import { pullFailure } from './platform-client';

const progressSchema = z
  .object({
    offset: z.int().nonnegative(),
    last: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    isComplete: z.boolean(),
    operation: z.string(),
  })
  .partial();

/** Progress of one type: for WooCommerce the position in the list, for Shopify the bulk operation. */
export type Progress = z.output<typeof progressSchema>;

const storedSchema = z.object({
  request: z.object({
    platform: z.string(),
    url: z.string(),
    types: z.array(z.string()).readonly(),
    since: z.string().nullable(),
  }),
  startedAt: z.iso.datetime(),
  since: z.iso.datetime().optional(),
  progress: z.record(z.string(), progressSchema),
});
type Stored = z.output<typeof storedSchema>;

/** What a pull requests. Only the same request can resume from its files. */
type PullRequest = Stored['request'];

/** Older responses are discarded, because importing them would overwrite newer data. */
const maxAgeMilliseconds = 24 * 3_600_000;

/**
 * Holds a platform's responses until their import ends: in unnamed temporary files, which never outlive the process, or
 * in a directory given by the user, from which an interrupted pull resumes.
 */
export class PullStore {
  readonly #files = new Set<FileHandle>();

  private constructor(
    private readonly directory: string | undefined,
    private readonly stored: Stored,
  ) {}

  /**
   * @param now the start of this pull
   * @param since only what changed since then, in ISO 8601; undefined for everything
   * @throws AdministrationError when the directory contains another pull
   */
  static async open(
    directory: string | undefined,
    request: PullRequest,
    now: Date,
    since: string | undefined,
  ): Promise<PullStore> {
    const fresh: Stored = { request, startedAt: now.toISOString(), since, progress: {} };
    if (directory === undefined) return new PullStore(undefined, fresh);
    const isNew = await makeDirectory(directory).catch(({ code }: NodeJS.ErrnoException) => {
      throw pullFailure(directory, `cannot be created (${code}): use another --directory`);
    });
    if (isNew) await chmod(directory, 0o700);
    const found = await lstat(directory);
    if (!found.isDirectory() || !isOwn(found)) throw notOwn(directory);
    const earlier = await readStored(join(directory, stateName));
    if (earlier === undefined || now.getTime() - Date.parse(earlier.startedAt) > maxAgeMilliseconds)
      return new PullStore(directory, fresh);
    if (JSON.stringify(earlier.request) !== JSON.stringify(request)) {
      const { platform, url, types, since } = earlier.request;
      throw pullFailure(
        directory,
        `contains an unfinished pull of ${types.join(', ')} from ${platform} at ${url}${since === null ? '' : ` with --since ${since}`}: ` +
          'repeat that command, or use another directory',
      );
    }
    return new PullStore(directory, earlier);
  }

  /** When the pull started, in ISO 8601. The pulled data is at least this recent. */
  get startedAt(): string {
    return this.stored.startedAt;
  }

  /** Only what changed since then, in ISO 8601; undefined for everything. */
  get since(): string | undefined {
    return this.stored.since;
  }

  /** The file for the responses of a type, to be written at explicit positions. */
  async file(type: string): Promise<FileHandle> {
    const file =
      this.directory === undefined ? await openTemporary() : await openOwn(join(this.directory, `${type}.ndjson`));
    this.#files.add(file);
    return file;
  }

  progress(type: string): Progress | undefined {
    return this.stored.progress[type];
  }

  /** Saves the progress of a type. */
  async note(type: string, progress: Progress): Promise<void> {
    this.stored.progress[type] = progress;
    if (this.directory === undefined) return;
    const path = join(this.directory, stateName);
    await rm(`${path}.new`, { force: true });
    const file = await openOwn(`${path}.new`);
    await file.writeFile(JSON.stringify(this.stored)).finally(() => file.close());
    await rename(`${path}.new`, path);
  }

  /**
   * Closes the files.
   * @param isOver Deletes those in the user's directory: they were imported, refused, or tried by a dry run.
   */
  async close({ isOver }: { readonly isOver: boolean }): Promise<void> {
    for (const file of this.#files) await file.close();
    this.#files.clear();
    if (this.directory === undefined || !isOver) return;
    for (const name of [stateName, ...this.stored.request.types.map((type) => `${type}.ndjson`)]) {
      await rm(join(this.directory, name), { force: true });
    }
  }
}

const stateName = 'pull.json';

async function readStored(path: string): Promise<Stored | undefined> {
  const file = await openOwn(path);
  const text = await file.readFile('utf8').finally(() => file.close());
  // openOwn creates a missing file.
  if (text === '') return undefined;
  const { data } = storedSchema.safeParse(parseJson(text));
  if (!data) throw pullFailure(path, 'not a valid pull state file: delete it or use another --directory');
  return data;
}

/**
 * Opens or creates a file in the directory. Other users may be able to write there, so links, pipes and other users'
 * files are refused.
 */
async function openOwn(path: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o600).catch(
    ({ code }: NodeJS.ErrnoException) => {
      throw pullFailure(
        path,
        `cannot be opened (${code}): expected a writable file, not a symbolic link; use another --directory`,
      );
    },
  );
  const found = await file.stat();
  if (found.isFile() && found.nlink === 1 && isOwn(found)) return file;
  await file.close();
  throw notOwn(path);
}

const isOwn = ({ uid }: { readonly uid: number }): boolean => process.getuid === undefined || process.getuid() === uid;

const notOwn = (path: string): Error =>
  pullFailure(path, 'must be a file or directory that you own, not a symbolic link: use another --directory');
