import { chmod, mkdir, readdir, stat } from 'node:fs/promises';

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
  // The directories on the way hold nothing, and PostgreSQL's own user may have to pass.
  const made = await mkdir(directory, { recursive: true, mode: 0o755 });
  if (made !== undefined) await chmod(directory, 0o700);
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

const toOctal = (mode: number): string => mode.toString(8).padStart(4, '0');
