import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { stderr } from './terminal';

/** DATA_DIR cannot be used as it is. The message says what to do. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}

/** The files of the service in DATA_DIR. */
const ownFiles = /^(?:postgres|cursor-secret|token-signing-keys|demo-api-key|secrets$)/;
/** The initial contents of a volume. */
const isOfVolume = (name: string): boolean => name.startsWith('.') || name === 'lost+found';

/**
 * Creates or secures DATA_DIR: accessible to its owner alone, mode 0700, whatever the umask. Its files contain secrets
 * and customers' data. The service's own directory is closed to other users, which is logged. A directory with other
 * contents is refused, because closing it could lock others out.
 * @throws DataDirectoryError
 */
export async function provideDataDirectory(
  directory: string,
  log: (line: string) => void = (line) => void stderr.write(`${line}\n`),
): Promise<void> {
  try {
    await provide(directory, log);
  } catch (error) {
    throw explainFileError(error, directory);
  }
}

async function provide(directory: string, log: (line: string) => void): Promise<void> {
  if (await makeDirectory(directory)) await chmod(directory, 0o700);
  const user = process.getuid?.();
  // Windows has no modes.
  if (user === undefined) return;
  const { mode, uid } = await stat(directory);
  const allowed = 0o700;
  const now = mode & 0o777;
  if ((now & ~allowed) === 0) return;
  const problem = `DATA_DIR ${directory} is open to other users (mode ${toOctal(now)})`;
  if (user !== 0 && uid !== user)
    throw new DataDirectoryError(
      `${problem} and belongs to another user. Make this user its owner (chown), or set DATA_DIR to a directory owned by this user.`,
    );
  const names = (await readdir(directory)).filter((name) => !isOfVolume(name));
  if (names.length > 0 && !names.some((name) => ownFiles.test(name)))
    throw new DataDirectoryError(
      `${problem} and contains other files. Set DATA_DIR to an empty or nonexistent directory, or run chmod 0700 on this one.`,
    );
  await chmod(directory, now & allowed);
  log(
    `DATA_DIR ${directory} was open to other users: changed its mode from ${toOctal(now)} to ${toOctal(now & allowed)}`,
  );
}

/** For `catch`: substitutes a value for an error with one of these codes and rethrows any other error. */
export const onErrorCode =
  <Value>(codes: readonly string[], value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (codes.includes(error.code ?? '')) return value;
    throw error;
  };

const toOctal = (mode: number): string => mode.toString(8).padStart(4, '0');

/**
 * Creates a directory and its missing parents. Node's own option retries forever where a directory cannot be created
 * and the system reports a missing parent, as /proc does.
 * @returns whether the directory was created by this call
 */
export async function makeDirectory(directory: string): Promise<boolean> {
  const tryMake = (): Promise<boolean> =>
    // Parent directories hold no data.
    mkdir(directory, { mode: 0o755 }).then(
      () => true,
      async (error: NodeJS.ErrnoException) => {
        // Creating a directory that exists may fail with any error, such as a read-only file system.
        const isThere = await stat(directory).then(
          (found) => found.isDirectory(),
          () => false,
        );
        if (isThere) return false;
        throw error;
      },
    );
  return tryMake().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(directory) === directory) throw error;
    if (!(await makeDirectory(dirname(directory)))) throw error;
    return tryMake();
  });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'part of the path is a file, not a directory',
  EEXIST: 'a file with that name already exists',
  EISDIR: 'a directory already exists there',
  ERR_FS_EISDIR: 'a directory already exists there',
  ENOTEMPTY: 'a directory with other files already exists there',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symbolic links form a loop',
  ENOENT: 'it cannot be created',
};

/** Converts a file-system failure in DATA_DIR to a message that says what to do; returns any other error unchanged. */
export function explainFileError(error: unknown, directory: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  // An error from reading or writing an open file has no path.
  if (code === undefined || (path === undefined && reasons[code] === undefined)) return error;
  const isInside = path?.startsWith(directory + sep);
  // The program's own files are missing for other reasons.
  if (path !== undefined && !isInside && !`${directory}${sep}`.startsWith(path)) return error;
  const where = isInside ? `${path}: ` : '';
  return new DataDirectoryError(
    `DATA_DIR ${directory} cannot be used: ${where}${reasons[code] ?? code}. ` +
      'Set DATA_DIR to a directory that this user can write to.',
    { cause: error },
  );
}
