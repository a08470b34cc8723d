import { importedColumnsOf, type ColumnKind } from '../../catalog/model';
import { FirstLines } from '../formats/first-lines';
import type { FileSample, Format, ReadContext } from '../format';
import { Place } from '../import-error';
import type { CollectionRecord, CollectionValues, OrderRecord, OrderValues } from '../record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { countBounds } from '../values/whole-number';
import { countOf, type ObjectsMap, type ValueRule } from './import-map';
import { columnsOfRule, hasRule, lacking, withDates } from './map-columns';
import { keyOf, MappedRow, openColumns, type MapColumns } from './mapped-row';

type ObjectRecord = OrderRecord | CollectionRecord;

/** How a value is read, by the kind of its column. Kinds that only products and variants have are not here. */
const readers: Readonly<Partial<Record<ColumnKind, (row: MappedRow, rule: ValueRule | undefined) => unknown>>> = {
  externalId: (row, rule) => row.indexed(rule),
  indexed: (row, rule) => row.indexed(rule),
  text: (row, rule) => row.text(rule),
  currency: (row, rule) => row.currency(rule),
  decimal: (row, rule) => row.decimal(rule),
  tags: (row, rule) => row.list(rule),
  flag: (row, rule) => row.flag(rule),
  count: (row, rule) => row.count(rule),
  timestamp: (row, rule) => row.timestamp(rule),
};

/** An object whose rows are being read. */
interface Open {
  readonly row: MappedRow;
  readonly key: string | null;
  /** Of its rows. */
  count: bigint;
}

/** The format of the files of orders, or of collections, that a map describes. */
export class ObjectsMapFormat implements Format {
  readonly kinds: readonly ['order' | 'collection'];
  readonly name: string;
  readonly description: string;

  constructor(readonly map: ObjectsMap) {
    this.kinds = [map.table === 'orders' ? 'order' : 'collection'];
    this.name = map.name;
    this.description = `a table with the columns of the map ${map.source}`;
  }

  get delimiter(): string | undefined {
    return this.map.delimiter;
  }

  recognises(sample: FileSample): boolean {
    return this.lacks(sample).length === 0;
  }

  /** The columns that an unrecognised file lacks. */
  lacks({ header }: FileSample): readonly string[] {
    return lacking(this.map.recognisedBy, header);
  }

  readonly explains = {
    column: (column: string): string => {
      const { members, same } = this.map;
      const found = [...members].filter(([, rule]) => columnsOfRule(rule).some((one) => keyOf(one) === column));
      const names = found.map(([member]) => member);
      if (same && keyOf(same) === column) names.push('which rows belong together');
      return names.length === 0 ? 'which rows are read' : names.join(', ');
    },
  };

  async *read(source: SourceFile, given: ReadContext): AsyncGenerator<ObjectRecord, void, void> {
    const { map } = this;
    const context = withDates(given, map);
    const numbers = source.numbersWith(map.decimal);
    const firstLines = new FirstLines();
    let columns: MapColumns | undefined;
    let open: Open | undefined;
    for await (const cells of readCsvRows(source)) {
      if (columns === undefined) {
        const needed = [
          ...map.skipWhen.map(({ column }) => column),
          ...[...map.members.values()].flatMap(columnsOfRule),
        ];
        columns = openColumns(source.name, cells, map.same ? [...needed, map.same] : needed, context);
        continue;
      }
      if (cells.cells.every((cell) => cell.trim() === '')) continue;
      const row = new MappedRow(columns.row({ ...cells, numbers }), context);
      if (row.isSkipped(map.skipWhen)) continue;
      const key = map.same ? row.word(map.same) : null;
      if (map.same && key === null) {
        row.cells.report(row.at(map.same).refuse('', 'a value on every row: rows of one object have the same'));
        continue;
      }
      if (open && key !== null && key === open.key) {
        open.count += this.#countOf(row);
        continue;
      }
      if (open) yield* this.#finish(open, columns, firstLines, source.name);
      open = { row, key, count: this.#countOf(row) };
    }
    if (open && columns) yield* this.#finish(open, columns, firstLines, source.name);
    for (const warning of columns?.dates.warnings ?? []) context.warn(warning);
  }

  /** What a row adds: its cell, or itself where no column says how much. */
  #countOf(row: MappedRow): bigint {
    const rule = this.map.members.get(countOf[this.map.table]);
    return rule === undefined ? 1n : BigInt(row.count(rule) ?? 0);
  }

  *#finish(
    { row, count }: Open,
    columns: MapColumns,
    firstLines: FirstLines,
    file: string,
  ): Generator<ObjectRecord, void, void> {
    const { table, members, same } = this.map;
    const counted = countOf[table];
    const id = row.indexed(members.get('external_id'));
    const idPlace = row.at(members.get('external_id')?.column);
    if (id === null) {
      if (row.value(members.get('external_id')) === null)
        row.cells.report(idPlace.refuse('', 'an id on the first row of each object'));
      return;
    }
    const earlier = firstLines.note(id, new Place(file, row.line));
    if (earlier !== undefined)
      row.cells.report(idPlace.fault(`${JSON.stringify(id)} already appears in line ${earlier}`));
    if (count > BigInt(countBounds.max))
      row.cells.report(row.at(members.get(counted)?.column).fault('the sum is too large'));
    const areRowsCounted = same !== undefined && !members.has(counted);
    const values = Object.fromEntries(
      importedColumnsOf(table).map(({ name, kind }) => [
        name,
        name === counted
          ? String(members.has(counted) || areRowsCounted ? count : 0)
          : readers[kind]?.(row, members.get(name)),
      ]),
    );
    const { line } = row;
    if (table === 'collections') {
      const collection = values as unknown as CollectionValues;
      if (collection.title === null)
        row.cells.report(row.at(members.get('title')?.column).refuse('', 'a title of each collection'));
      yield {
        kind: 'collection',
        line,
        values: {
          ...collection,
          published: collection.published ?? true,
          collection_type: collection.collection_type ?? 'manual',
        },
      };
      return;
    }
    const order = values as unknown as OrderValues;
    const absent = importedColumnsOf('orders')
      .map(({ name }) => name)
      .filter(
        (name) =>
          !alwaysThere.has(name) && !hasRule(members.get(name), columns) && !(name === counted && areRowsCounted),
      );
    yield {
      kind: 'order',
      line,
      values: {
        ...order,
        order_number: order.order_number ?? id,
        financial_status: order.financial_status?.toUpperCase() ?? null,
        fulfillment_status: order.fulfillment_status?.toUpperCase() ?? null,
      },
      absent: absent.length === 0 ? undefined : new Set(absent as (keyof OrderValues)[]),
    };
  }
}

const alwaysThere: ReadonlySet<string> = new Set(['external_id', 'order_number']);
