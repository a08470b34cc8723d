import type { Format, ReadContext, TableExplained } from '../formats/format';
import { FirstLines } from '../formats/first-lines';
import type { CollectionRecord, OrderRecord } from '../formats/record';
import { SourceLocation } from '../values/import-error';
import type { SourceFile } from '../source/source-file';
import { countBounds } from '../values/whole-number';
import { countOf, type ColumnReference, type ObjectsMap, type ObjectsTable } from './import-map';
import { columnsOfRule, mapObjects } from './map-rules';
import type { MappedRow } from './mapped-row';
import { explainMap, FormatOfMap, MappedTable } from './mapped-table';

type ObjectRecord = OrderRecord | CollectionRecord;

/** An object whose rows are being read. */
interface Open {
  readonly row: MappedRow;
  readonly key: string | null;
  /** The lines of its further rows, and what all of them add up to. */
  readonly rows: number[];
  count: bigint;
}

const columnsOf = ({ members }: ObjectsMap): readonly ColumnReference[] => [...members.values()].flatMap(columnsOfRule);
const groupingOf = ({ same }: ObjectsMap): readonly ColumnReference[] => (same ? [same] : []);

/** The format of the files of orders, or of collections, that a map describes. */
export class ObjectsMapFormat<Name extends string = string>
  extends FormatOfMap<Name, ObjectsMap>
  implements Format<Name>
{
  readonly kinds: readonly ['order' | 'collection'];

  constructor(name: Name, description: string, table: ObjectsTable, open: () => ObjectsMap) {
    super(name, description, open);
    this.kinds = [table === 'orders' ? 'order' : 'collection'];
  }

  get explains(): TableExplained {
    return explainMap([mapObjects(this.map)], columnsOf(this.map), groupingOf(this.map));
  }

  async *read(source: SourceFile, given: ReadContext): AsyncGenerator<ObjectRecord, void, void> {
    const { map } = this;
    const rules = mapObjects(map);
    const table = new MappedTable(source, map, given);
    const firstLines = new FirstLines();
    let absent: ReadonlySet<never> | undefined;
    let open: Open | undefined;
    const finish = ({ row, rows, count }: Open): readonly ObjectRecord[] => {
      const id = this.#idOf(row);
      if (id === null) return [];
      const location = row.at(map.members.get('external_id')?.column);
      const earlier = firstLines.note(id, new SourceLocation(source.name, row.line));
      if (earlier !== undefined)
        row.cells.report(location.fault(`${JSON.stringify(id)} already appears in line ${earlier}`));
      if (count > BigInt(countBounds.max))
        row.cells.report(row.at(map.members.get(countOf[map.table])?.column).fault('the sum is too large'));
      const [kind] = this.kinds;
      return [{ kind, line: row.line, rows, values: rules.read(row, { id, count }), absent }];
    };
    const rows = table.rows(
      () => [...columnsOf(map), ...groupingOf(map)],
      (columns) => {
        const lacked = rules.lackedBy([columns]);
        absent = lacked.length === 0 ? undefined : new Set(lacked as readonly never[]);
      },
    );
    for await (const row of rows) {
      const key = map.same ? row.word(map.same) : null;
      if (map.same && key === null) {
        row.cells.report(row.at(map.same).refuse('', 'a value on every row: rows of one object have the same'));
        continue;
      }
      if (open && key !== null && key === open.key) {
        open.rows.push(row.line);
        open.count += this.#countOf(row);
        continue;
      }
      if (open) yield* finish(open);
      open = { row, key, rows: [], count: this.#countOf(row) };
    }
    if (open) yield* finish(open);
    table.warn();
  }

  /** Null means that a problem was reported. */
  #idOf(row: MappedRow): string | null {
    const rule = this.map.members.get('external_id');
    const id = row.indexed(rule);
    if (id === null && row.value(rule) === null)
      row.cells.report(row.at(rule?.column).refuse('', 'an id on the first row of each object'));
    return id;
  }

  /** What a row adds: its cell, or itself where no column says how much. */
  #countOf(row: MappedRow): bigint {
    const { members, table, same } = this.map;
    const rule = members.get(countOf[table]);
    return rule === undefined ? BigInt(same !== undefined) : BigInt(row.count(rule) ?? 0);
  }
}
