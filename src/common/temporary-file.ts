import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file that is unlinked immediately, so that nothing remains however the process ends. */
export async function openTemporary(): Promise<FileHandle> {
  const path = join(tmpdir(), `catalog-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await rm(path);
  return handle;
}
