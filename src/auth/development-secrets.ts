import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config';
import { ConfigError } from '../config';
import { explainFileError, onErrorCode, provideDataDirectory } from '../data-directory';

export interface StoredSecret {
  readonly dataDirectory: string;
  readonly fileName: string;
  readonly create: () => string;
}

/**
 * A secret that is made on first use and kept in the data directory, readable by its owner only. When two processes
 * start at once both end up with the same one: the complete file appears under its name by `link`, which fails for the
 * second, and that one reads what the first has written.
 * @throws DataDirectoryError
 */
export async function loadOrCreateSecret(secret: StoredSecret): Promise<string> {
  try {
    await provideDataDirectory(secret.dataDirectory);
    return await readOrCreate(secret);
  } catch (error) {
    throw explainFileError(error, secret.dataDirectory);
  }
}

async function readOrCreate({ dataDirectory, fileName, create }: StoredSecret): Promise<string> {
  const path = join(dataDirectory, fileName);
  const existing = await readFile(path, 'utf8').catch(onErrorCode(['ENOENT'], undefined));
  if (existing !== undefined) {
    await closeToOthers(path);
    return existing;
  }
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(create());
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch(onErrorCode(['EEXIST'], undefined));
  } finally {
    await unlink(draft).catch(onErrorCode(['ENOENT'], undefined));
  }
  return readFile(path, 'utf8');
}

/** The cursor secrets of the settings, else one that is generated once (D10): the first signs, all verify. */
export async function loadCursorSecrets(
  config: Pick<Config, 'cursorSecrets' | 'dataDirectory' | 'production'>,
): Promise<readonly string[]> {
  if (config.cursorSecrets !== undefined) return config.cursorSecrets;
  if (config.production)
    throw new ConfigError('CURSOR_SECRET: expected a value, got none: it is required when NODE_ENV=production');
  const fileName = 'cursor-secret';
  const secret = await loadOrCreateSecret({
    dataDirectory: config.dataDirectory,
    fileName,
    create: () => randomBytes(32).toString('base64url'),
  });
  if (secret.length < 32) {
    throw new ConfigError(`${join(config.dataDirectory, fileName)}: expected at least 32 characters; delete the file`);
  }
  return [secret];
}

/** A copy or a backup may have come back with another mode. */
async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) await chmod(path, 0o600);
}
