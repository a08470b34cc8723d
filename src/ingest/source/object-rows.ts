import { ImportError } from '../values/import-error';
import { numberLiteral, parseJsonLine, type JsonObject } from '../values/json-line';
import { ElementScanner, locationOf, readJsonElements } from './json-elements';
import { longestBeginning } from './read-blocks';
import type { SourceFile } from './source-file';
import type { RawRow } from './table-row';

/** Limits the columns: each object has a cell for every member of any object. */
const maxMembers = 1000;

const sampleRows = 20;

/**
 * The beginning of a list of flat objects as a table, header first: a column for each member. Undefined if objects are
 * nested.
 */
export function sampleObjects({ name, beginning, firstLine }: SourceFile): readonly (readonly string[])[] | undefined {
  const objects: JsonObject[] = [];
  try {
    for (const element of new ElementScanner(name, new Set()).push(beginning.slice(0, longestBeginning), firstLine))
      objects.push(parseJsonLine(element.text, locationOf(name, element)));
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
  }
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const isFlat = objects.every((object) => Object.values(object).every((value) => cellOf(value) !== undefined));
  if (!isFlat || columns.length === 0 || columns.length > maxMembers) return undefined;
  return [columns, ...objects.slice(0, sampleRows).map((object) => columns.map((column) => cellOf(object[column]) ?? ''))]; // prettier-ignore
}

/** @throws ImportError for a nested value, and for a member that none of the first objects has */
export async function* readObjects(source: SourceFile, columns: readonly string[]): AsyncGenerator<RawRow, void, void> {
  const known = new Set(columns);
  yield { line: source.firstLine, cells: columns };
  for await (const element of readJsonElements(source, [])) {
    const location = locationOf(source.name, element);
    const object = parseJsonLine(element.text, location);
    const other = Object.keys(object).find((member) => !known.has(member));
    if (other !== undefined)
      throw location
        .inside(other)
        .fault('this field is missing from the first objects: include every field in the first object');
    const cells = columns.map((column) => {
      const cell = cellOf(object[column]);
      if (cell === undefined) throw location.inside(column).fault('expected a string, a number, true, false, or a list of strings without commas'); // prettier-ignore
      return cell;
    });
    yield { line: element.line, cells };
  }
}

/** A list becomes one cell, separated by commas. Undefined for values that no cell can hold. */
function cellOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return numberLiteral(value) ?? `${value as string | boolean}`;
  if (!Array.isArray(value) || value.some((item) => typeof item === 'object' || String(item).includes(','))) return undefined; // prettier-ignore
  return value.map(cellOf).join(',');
}
