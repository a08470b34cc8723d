/** Why the embedded PostgreSQL cannot run here, in words for the person who starts the service. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of that path is a file, not a directory',
  EEXIST: 'a file of that name is in the way',
};

/** Turns a failure of the file system into the sentence that helps; anything else stays what it is. */
export function explainFileError(error: unknown, directory: string): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
  if (reason === undefined) return error;
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL cannot keep its data in ${directory}: ${reason}. ` +
      'Set DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL server of your own.',
    { cause: error },
  );
}
