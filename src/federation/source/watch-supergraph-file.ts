import { readFile, stat } from 'node:fs/promises';
import { describeSdlFailure } from '../../common/serve-requests';
import { supergraphSdlLimits } from '../supergraph/sdl-limits';
import type { Offer, RepeatingTask, SourceLog, SupergraphSource } from './supergraph-source';
import { repeat } from './supergraph-source';

interface WatchOptions {
  readonly path: string;
  readonly intervalMilliseconds: number;
  readonly log: SourceLog;
}

/**
 * Loads the supergraph from a file, and reloads it when the file's text has changed. The file is polled, not watched:
 * watchers lose track of files and links that editors and container platforms replace.
 */
export function watchSupergraphFile({ path, intervalMilliseconds, log }: WatchOptions): SupergraphSource {
  let seen: string | undefined;
  let problem: string | undefined;
  let polling: RepeatingTask | undefined;

  async function take(offer: Offer): Promise<void> {
    const sdl = await readBounded(path);
    problem = undefined;
    if (sdl === seen) return;
    seen = sdl;
    await offer(sdl);
    log.info(`using the supergraph in ${path}`);
  }

  async function refresh(offer: Offer): Promise<void> {
    try {
      await take(offer);
    } catch (thrown) {
      const message = describeSdlFailure(thrown);
      if (message !== problem) log.error(`${path}: rejected; the last good supergraph stays in use: ${message}`);
      problem = message;
    }
  }

  return {
    async start(offer) {
      await take(offer);
      polling = repeat(() => refresh(offer), intervalMilliseconds);
    },
    async stop() {
      await polling?.stop();
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
};

/** @throws Error when the file does not exist, or is too large to be a supergraph. */
async function readBounded(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    const { maxBytes } = supergraphSdlLimits;
    if (size > maxBytes) throw new Error(`the file is ${size} bytes; a supergraph can be at most ${maxBytes}`);
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : new Error(`expected a supergraph file: ${reason}`, { cause: error });
  }
}
