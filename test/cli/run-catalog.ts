import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNothingPrivate } from '../support/private-texts';
import { compiledBefore } from '../support/compiled-before';

const root = join(__dirname, '../..');

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Compiles the code that `catalog` runs, unless it is up to date. Call it once per test file. */
export function buildCatalog(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-needed'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * Runs a command line as people and scripts do: in a separate process, on the given database. Checks that standard
 * error contains nothing private.
 */
export function createCatalog(databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ...compiledBefore,
    DATABASE_URL: databaseUrl,
    DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-cli-')),
    ...settings,
  };
  const run = (words: readonly string[], input?: Buffer): Promise<Finished> =>
    new Promise((resolve, reject) => {
      const child = execFile(
        process.execPath,
        [join(root, 'dist/src/cli/main.js'), ...words],
        { env: environment, cwd: root, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => {
          const exitCode = error === null ? 0 : error.code;
          if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr });
          else reject(error ?? new Error('ended by a signal'));
        },
      );
      if (input !== undefined) child.stdin?.end(input);
    });
  const checked = async (words: readonly string[], input?: Buffer): Promise<Finished> => {
    const finished = await run(words, input);
    checkNothingPrivate('standard error', finished.stderr);
    return finished;
  };
  return Object.assign((...words: readonly string[]) => checked(words), {
    /** The same with text on standard input. */
    withInput: (input: Buffer, ...words: readonly string[]) => checked(words, input),
  });
}

/** The one JSON document of a successful command. Fails when stdout contains anything else. */
export function toDocument<Document>({ exitCode, stdout, stderr }: Finished): Document {
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as Document;
}
