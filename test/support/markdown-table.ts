import { readFileSync, writeFileSync } from 'node:fs';

interface Table {
  /** The file. */
  readonly document: string;
  /** The table is between `<!-- NAME: … -->` and `<!-- /NAME -->`. */
  readonly name: string;
  /** The command that writes it, for readers of the source. */
  readonly command: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Replaces a table in a document by a measured one. @throws Error if the document has no place for it */
export async function writeTable({ document, name, command, header, rows }: Table): Promise<void> {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const text = readFileSync(document, 'utf8');
  const place = new RegExp(`<!-- ${name}:[\\s\\S]*<!-- /${name} -->`);
  if (!place.test(text)) throw new Error(`${document} has no <!-- ${name}: … --> to write a table into.`);
  const table = `<!-- ${name}: written by ${command} -->\n\n${lines.join('\n')}\n\n<!-- /${name} -->`;
  const { format, resolveConfig } = await import('prettier');
  const filled = text.replace(place, () => table);
  writeFileSync(document, await format(filled, { ...(await resolveConfig(document)), filepath: document }));
}
