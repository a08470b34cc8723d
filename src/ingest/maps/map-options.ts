import { maximumVariants } from '../formats/check-lengths';
import type { VariantOption } from '../../catalog/model';
import { numbered } from './map-node';
import { before, type MappedRow } from './mapped-row';
import type { OptionRule } from './read-map';

/** The options in the cells of a row. Names may be on the first row of a product only. */
export function toOptions(row: MappedRow, rule: OptionRule | undefined, first: MappedRow): readonly VariantOption[] {
  if (rule === undefined) return [];
  if ('map' in rule) return rule.flatMap(({ name, column }) => toOption(name, row.trimmed(column)));
  const { names, values, column = '', separator = ',', between = '=', start, until } = rule;
  if (values?.includes('{n}')) {
    const titles = names === undefined ? [] : numbered(names);
    return numbered(values).flatMap((value, index) => {
      const title = titles[index];
      const name = title === undefined ? null : (row.trimmed(title) ?? first.trimmed(title));
      return toOption(name ?? `Option${index + 1}`, row.trimmed(value), until);
    });
  }
  if (values !== undefined) {
    const [titles, found] = [names ?? '', values].map((one) => row.list(one, separator));
    if (titles?.length === found?.length)
      return (titles ?? []).flatMap((name, at) => toOption(withoutRest(name, until), found?.[at] ?? null, until));
    row.cells.report(
      row.cells
        .at(values)
        .fault(`expected as many option values as option names (${titles?.length}), got ${found?.length}`),
    );
    return [];
  }
  const cell = row.trimmed(column) ?? '';
  if (start !== undefined) {
    return cell
      .split(start)
      .slice(1)
      .flatMap((part) => {
        const parts = part.split(separator).map((one) => one.trim());
        const behind = (mark: string): string | null =>
          parts.find((one) => one.startsWith(mark))?.slice(mark.length) ?? null;
        return toOption(behind(rule.name ?? 'Name=') ?? 'Option', behind(rule.value ?? 'Value='), until);
      });
  }
  const pairs: string[] = [];
  // A value may contain the separator.
  for (const part of cell.split(separator))
    if (part.includes(between)) pairs.push(part);
    else if (part.trim() !== '') pairs.push([pairs.pop(), part].join(separator));
  return pairs.flatMap((pair) => {
    const at = pair.indexOf(between);
    // `[S]Size=Small`: the kind of the option is in brackets.
    const name = pair
      .slice(0, at)
      .trim()
      .replace(/^\[\w*\]/, '');
    return at === -1 ? [] : toOption(name, pair.slice(at + between.length), until);
  });
}

/** The position of a variant in the order of the values in its product's row; null if they are not listed there. */
export function listedPosition(row: MappedRow, rule: OptionRule | undefined, first: MappedRow): string | null {
  if (rule === undefined || 'map' in rule || rule.listed === undefined || row.line === first.line) return null;
  let position = 0;
  for (const column of numbered(rule.values ?? '')) {
    const value = row.trimmed(column);
    if (value === null) continue;
    const listed = first.list(column, rule.listed);
    const index = listed.indexOf(value);
    if (index === -1) return null;
    position = position * listed.length + index;
  }
  return position >= maximumVariants ? null : String(position + 1);
}

const withoutRest = (text: string, until: string | undefined): string =>
  (until === undefined ? text : before(text, until)).trim();

function toOption(name: string, value: string | null, until?: string): readonly VariantOption[] {
  // A color may be written with its code: #ff0000:Red.
  const shown = withoutRest(value ?? '', until).replace(/^#[0-9a-f]{3,8}:(?=.)/i, '');
  return shown === '' ? [] : [{ name: name.trim(), value: shown }];
}
