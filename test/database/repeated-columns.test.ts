import { restForm } from '../../src/catalog/rows/row-json';
import { columns } from '../faults/support/oracle';
import { members } from './model/catalog-state';

/* Lists of columns that repeat those of shop-tables.ts: see "Add a field" in CONTRIBUTING.md. */

const namesOf = (table: Parameters<typeof restForm>[0]): string[] => restForm(table).map(({ name }) => name);

/** `a, b::integer, c AS d` names a, b and d. */
const namesIn = (selected: string): string[] =>
  selected.split(',').map((column) => /(\w+)(?:::\w+)?$/.exec(column.trim())?.[1] ?? column);

it.each(['products', 'variants', 'collections', 'orders'] as const)(
  'test/faults/support/oracle.ts has the columns of %s',
  (table) => expect(namesIn(columns[table])).toEqual(namesOf(table)),
);

it.each(['products', 'variants', 'collections'] as const)(
  'test/database/model/catalog-state.ts has the columns of %s',
  (table) => expect(members[table]).toEqual(namesOf(table)),
);
