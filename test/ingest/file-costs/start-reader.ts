import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawnTypeScript } from '../../support/run-typescript';
import type { ReadingCost } from './read-files';

/** How a file is read: by an import, by `--explain`, as a map, or to suggest a map. */
export type Way = 'import' | 'explain' | 'map' | 'suggest';

/**
 * A process that reads files and measures the cost of each.
 *
 * @param nodeOptions options for that process
 */
export function startReader(...nodeOptions: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'file-costs-'));
  let reader = startProcess(nodeOptions);
  let files = 0;
  const renew = (): void => {
    reader.end();
    reader = startProcess(nodeOptions);
    files = 0;
  };
  return {
    /**
     * @param enoughMegabytes results of at least this many are measured again by a process that has read nothing before
     */
    async read(way: Way, content: Buffer, enoughMegabytes: number): Promise<ReadingCost> {
      const path = join(directory, 'file');
      await writeFile(path, content);
      const line = `${way} ${path}`;
      const cost = await reader.ask(line);
      files += 1;
      if (cost.megabytes < enoughMegabytes || files === 1) return cost;
      renew();
      files = 1;
      return reader.ask(line);
    },
    close(): void {
      reader.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function startProcess(nodeOptions: readonly string[]) {
  const child = spawnTypeScript('ingest/file-costs/read-files.ts', [], nodeOptions);
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const answers = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    async ask(line: string): Promise<ReadingCost> {
      child.stdin?.write(`${line}\n`);
      const answer = await answers.next();
      if (answer.done === true) throw new Error(`the reader ended: ${errors.slice(-1000)}`);
      return JSON.parse(answer.value) as ReadingCost;
    },
    end: () => child.stdin?.end(),
  };
}
