import { model, type StoredLineItem } from '../../catalog/model';
import { noteRow } from '../formats/check-lengths';
import { FirstLines } from '../formats/first-lines';
import type { ReadContext } from '../formats/format';
import type { CollectionRecord, CollectionValues, OrderRecord, OrderValues } from '../formats/record';
import type { SourceFile } from '../source/source-file';
import { countBounds } from '../values/numbers';
import { countOf, mapObjects } from './map-rules';
import type { MappedRow } from './mapped-row';
import { MappedTable } from './mapped-table';
import type { ImportMap, ValueRules } from './read-map';

type ObjectRecord = OrderRecord | CollectionRecord;

/** An object whose rows are being read. */
interface Open {
  readonly row: MappedRow;
  readonly key: string | null;
  /** Undefined if its id is invalid. */
  readonly values: (OrderValues & CollectionValues) | undefined;
  /** The line numbers of its further rows. */
  readonly rows: number[];
  /** The rows so far, by their cells. */
  readonly seen: FirstLines;
  count: bigint;
  readonly lines: StoredLineItem[];
}

/** Reads a file of orders, or of collections, as its map describes. */
export async function* readObjects(
  kind: keyof typeof countOf,
  map: ImportMap,
  source: SourceFile,
  context: ReadContext,
): AsyncGenerator<ObjectRecord, void, void> {
  const members: ValueRules = map[kind] ?? new Map();
  const counted = countOf[kind];
  const same = map.rows?.same;
  const items = members.get('line_items')?.items;
  const rules = mapObjects(kind, members, same !== undefined || items !== undefined);
  const firstLines = new FirstLines();
  let absent: ReadonlySet<never> | undefined;
  let open: Open | undefined;
  const read = (row: MappedRow): Open['values'] => {
    const id = row.id('external_id');
    if (id === '') return undefined;
    firstLines.begin(id, row.cells.location, context.problems, kind, same && '');
    return rules.read(row, id);
  };
  const finish = ({ row, values, rows, count, lines }: Open): readonly ObjectRecord[] => {
    if (values === undefined) return [];
    if (count > BigInt(countBounds.max)) row.cells.report(row.at(counted).fault('the sum is too large'));
    const whole = { ...values, [counted]: String(count), ...(items && { line_items: lines }) };
    return [{ kind, line: row.line, rows, values: whole, absent }];
  };
  /** Adds the row's count, or else the quantity of its line item, or else 1 for each row of a group. */
  const add = (to: Open, row: MappedRow): void => {
    // Without `same`, each row is an object of its own.
    if (same !== undefined && to.seen.note(row.cells.row.cells.join('\n'), row.cells.location) !== undefined)
      source.note('repeated', row.line);
    const [line] = items ? row.by(items).item() : [];
    // One more than allowed shows that there are too many.
    if (line && to.lines.length <= model.orders.lineItems.count) to.lines.push(line);
    to.count += BigInt(members.has(counted) ? (row.count(counted) ?? 0) : items ? (line?.quantity ?? 0) : same !== undefined); // prettier-ignore
  };
  const rows = MappedTable.rows(source, map, context, (table) => {
    const lacked = rules.absentFrom([table]);
    absent = lacked.length === 0 ? undefined : new Set(lacked as readonly never[]);
  });
  for await (const given of rows) {
    const row = given.by(members);
    const key = same === undefined ? null : row.trimmed(same);
    if (same !== undefined && key === null) {
      // No object may be left out instead: the row may belong to the one before or after it.
      context.problems.addFatal(
        row.cells.at(same).refuse('', 'a value on every row (the same for all rows of an object)'),
      );
    } else if (open && key !== null && key === open.key) {
      if (noteRow(open.rows, row.cells)) add(open, row);
    } else {
      if (open) yield* finish(open);
      open = { row, key, values: read(row), rows: [], seen: new FirstLines(), count: 0n, lines: [] };
      add(open, row);
    }
  }
  if (open) yield* finish(open);
}
