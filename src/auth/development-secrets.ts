import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config';
import { ConfigError } from '../config/config-error';
import { explainFileError, onErrorCode, provideDataDirectory } from '../common/data-directory';

interface StoredSecret {
  readonly dataDirectory: string;
  readonly fileName: string;
  readonly create: () => string;
}

/**
 * Returns a secret that is generated on first use and stored in the data directory, readable only by its owner. Two
 * processes that start at the same time get the same secret: `link` gives the complete file its name and fails for the
 * second process, which then reads what the first has written.
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
    await restrictToOwner(path);
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

/**
 * The cursor secrets from the settings, or one that is generated once (D10). The first one signs, all of them verify.
 */
export async function loadCursorSecrets(
  config: Pick<Config, 'cursorSecret' | 'dataDir' | 'production'>,
): Promise<readonly string[]> {
  if (config.cursorSecret !== undefined) return config.cursorSecret;
  if (config.production)
    throw new ConfigError('CURSOR_SECRET: expected a value, got none; it is required when NODE_ENV=production');
  const fileName = 'cursor-secret';
  const secret = await loadOrCreateSecret({
    dataDirectory: config.dataDir,
    fileName,
    create: () => randomBytes(32).toString('base64url'),
  });
  if (secret.length < 32) {
    throw new ConfigError(
      `${join(config.dataDir, fileName)}: expected at least 32 characters; delete the file to generate a new secret`,
    );
  }
  return [secret];
}

/** A copy or a restored backup may have another mode. */
async function restrictToOwner(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) await chmod(path, 0o600);
}
