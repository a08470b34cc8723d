import { formatNames } from '../../ingest/formats/descriptions';
import { argument, command, UsageError } from '../command';
import { textTable } from '../text-table';

export const formatsCommand = command({
  name: 'formats',
  summary: 'list the columns that an import format uses',
  details: `BECOMES lists the snapshot fields (docs/snapshot-format.md). Other columns are ignored. Columns with names in several
languages are listed under the first one.

Formats: ${formatNames.join(', ')}`,
  examples: ['catalog formats shopify-products', "catalog formats wix-products --json | jq -r '.[][0]'"],
  argument: argument('<format>', 'name of the format'),
  options: {},
  json: 'an array of pairs: column or field, and its snapshot field',
  async alone(_options, name: string) {
    const { formats } = await import('../../ingest/formats.js');
    const format = formats.find((known) => known.name === name);
    if (format === undefined) {
      throw new UsageError(`unknown format "${name}"; expected one of ${formatNames.join(', ')}`);
    }
    const { explains } = format;
    const rows = (
      'column' in explains
        ? Object.entries(explains.names).map(([column, [name = '']]) => [name, explains.column(column)] as const)
        : Object.entries({ ...explains.expected, ...explains.others })
    ).filter(([, becomes]) => becomes !== 'nothing');
    return { json: rows, text: textTable(['column' in explains ? 'COLUMN' : 'FIELD', 'BECOMES'], rows) };
  },
});
