import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file of trusted documents (TRUSTED_DOCUMENTS_FILE), including the documents of tools. */
export function manifestOf(documents: Readonly<Record<string, string>>): string {
  const file = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'manifest.json');
  writeFileSync(file, JSON.stringify(documents));
  return file;
}
