import { createHash } from 'node:crypto';
// The parser alone, because every command reads the settings, and few need more of GraphQL.
import { parse } from 'graphql/language/parser';
import { z } from 'zod';
import { parseJson } from '../common/parse-json';

interface ManifestDocument {
  readonly id: string;
  readonly body: string;
}

const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});

const plainManifest = z.record(z.string().min(1), z.string().min(1));

/**
 * Reads a manifest of documents: `apollo-persisted-query-manifest`, or an object from identifier to document.
 * @throws Error that reports what is wrong and with which document; a manifest is refused as a whole.
 */
export function readDocumentManifest(text: string): readonly ManifestDocument[] {
  const documents = readDocuments(text);
  const ids = new Set<string>();
  for (const { id, body } of documents) {
    if (ids.has(id)) throw new Error(`the manifest contains the identifier ${JSON.stringify(id)} twice`);
    ids.add(id);
    checkDigest(id, body);
    try {
      parse(body);
    } catch (cause) {
      throw new Error(`the document ${JSON.stringify(id)} in the manifest is not valid GraphQL`, { cause });
    }
  }
  return documents;
}

function readDocuments(text: string): readonly ManifestDocument[] {
  const content = parseJson(text);
  if (content === undefined) throw new Error('the manifest is not valid JSON');
  const apollo = apolloManifest.safeParse(content);
  if (apollo.success) return apollo.data.operations;
  const plain = plainManifest.safeParse(content);
  if (plain.success) return Object.entries(plain.data).map(([id, body]) => ({ id, body }));
  throw new Error(
    'the manifest must be an apollo-persisted-query-manifest of version 1, or an object that maps identifiers to documents',
  );
}

/** An identifier with the prefix of a digest must be the document's digest: no client could find it otherwise. */
function checkDigest(id: string, body: string): void {
  if (!id.startsWith('sha256:')) return;
  if (id !== `sha256:${createHash('sha256').update(body, 'utf8').digest('hex')}`) {
    throw new Error(`the identifier ${JSON.stringify(id)} in the manifest is not the SHA-256 hash of its document`);
  }
}
