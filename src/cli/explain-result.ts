import type { FileExplanation } from '../ingest/explain-files';
import type { CliResult } from './command';
import { textTable } from './text-table';

/** How files would be read: as a document, and as tables for people. */
export const explainResult = (files: readonly FileExplanation[]): CliResult => ({
  json: {
    files: files.map(({ recognisedBy, readingWarnings, ...file }) => ({
      ...file,
      recognised_by: recognisedBy,
      reading_warnings: readingWarnings,
    })),
  },
  text: files.map(toText).join('\n\n'),
});

const ways = {
  content: 'recognised by its content',
  format: 'set by --format',
  map: 'described by the map',
} as const;

function toText({
  file,
  format,
  description,
  recognisedBy,
  columns,
  missing,
  readingWarnings,
  ...readAs
}: FileExplanation): string {
  const reading = [
    readAs.container,
    readAs.sheet === undefined ? undefined : `sheet ${JSON.stringify(readAs.sheet)}`,
    readAs.encoding,
    readAs.delimiter && `separated by ${readAs.delimiter}`,
  ].filter((word) => word !== undefined);
  return [
    recognisedBy === null ? `${file}: ${description}` : `${file}: ${format ?? ''}, ${ways[recognisedBy]}`,
    ...(recognisedBy === null ? [] : [`  ${description}`]),
    `  ${reading.join(', ')}`,
    '',
    textTable(
      ['COLUMN', 'BECOMES', 'FIRST VALUE'],
      columns.map(({ name, becomes, example }) => [name, becomes ?? '(not read)', example ?? '(blank)']),
    ),
    ...(missing.length > 0
      ? [
          '',
          `Expected, but missing: ${missing.join(', ')}.`,
          'Their fields keep the stored values; your own map has to call them optional.',
        ]
      : []),
    ...readingWarnings.map((warning) => `Warning: ${warning}`),
  ].join('\n');
}
