import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

/** DATA_DIR cannot be used as it is; the message says what to do. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}

/** What the service keeps there. */
const ownFiles = /^(?:postgres|cursor-secret|token-signing-keys|demo-api-key|secrets$)/;
/** What a volume has from the beginning. */
const isOfVolume = (name: string): boolean => name.startsWith('.') || name === 'lost+found';

/**
 * Makes DATA_DIR, or makes sure of it: for its owner alone, mode 0700, whatever the umask. Its files hold secrets and customers'
 * data. A directory that others may enter is closed to them with a line that says so, when it is the service's own; a directory
 * with other contents is refused, because closing it could shut others out. Started by root, the group of the user that PostgreSQL
 * runs as may pass through (0710).
 * @throws DataDirectoryError
 */
export async function provideDataDirectory(
  directory: string,
  log: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
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
  const allowed = user === 0 ? 0o710 : 0o700;
  const now = mode & 0o777;
  if ((now & ~allowed) === 0) return;
  const problem = `DATA_DIR ${directory} is open to other users (mode ${toOctal(now)})`;
  if (user !== 0 && uid !== user)
    throw new DataDirectoryError(
      `${problem} and belongs to another one. Run chmod 0700 on it as its owner, or set DATA_DIR to a directory of this user.`,
    );
  const names = (await readdir(directory)).filter((name) => !isOfVolume(name));
  if (names.length > 0 && !names.some((name) => ownFiles.test(name)))
    throw new DataDirectoryError(
      `${problem} and holds other files. Set DATA_DIR to a directory that is empty or does not exist, or run chmod 0700 on this one.`,
    );
  await chmod(directory, now & allowed);
  log(`${problem}: closed to them (mode ${toOctal(now & allowed)})`);
}

/** For `catch`: a value in the place of an error with one of these codes. Any other error is thrown on. */
export const onErrorCode =
  <Value>(codes: readonly string[], value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (codes.includes(error.code ?? '')) return value;
    throw error;
  };

const toOctal = (mode: number): string => mode.toString(8).padStart(4, '0');

/**
 * Makes a directory and those on the way. Not by Node's own option for it, which tries for ever where a directory cannot be made and the
 * system says that its parent is missing, as /proc does.
 * @returns whether it was made now
 */
async function makeDirectory(directory: string): Promise<boolean> {
  const tryMake = (): Promise<boolean> =>
    // The directories on the way hold nothing, and PostgreSQL's own user may have to pass.
    mkdir(directory, { mode: 0o755 }).then(
      () => true,
      async (error: NodeJS.ErrnoException) => {
        // One that cannot be made where one is already may say anything, such as that the file system is read-only.
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
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of that path is a file, not a directory',
  EEXIST: 'a file of that name is in the way',
  EISDIR: 'a directory is in the way',
  ERR_FS_EISDIR: 'a directory is in the way',
  ENOTEMPTY: 'a directory with other contents is in the way',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symbolic links lead in a circle',
  ENOENT: 'it cannot be made',
};

/** Turns a failure of the file system in DATA_DIR into the sentence that helps; anything else stays what it is. */
export function explainFileError(error: unknown, directory: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  // Reading and writing an open file fails without its name.
  if (code === undefined || (path === undefined && reasons[code] === undefined)) return error;
  const isInside = path?.startsWith(directory + sep);
  // Files of the program are missing for other reasons.
  if (path !== undefined && !isInside && !`${directory}${sep}`.startsWith(path)) return error;
  const where = isInside ? `${path}: ` : '';
  return new DataDirectoryError(
    `DATA_DIR ${directory} cannot be used: ${where}${reasons[code] ?? code}. ` +
      'Set DATA_DIR to a directory that this user may write to.',
    { cause: error },
  );
}
