import type { Column, ColumnKind } from '../../catalog/model';
import type { SourceLocation } from '../values/import-error';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/whole-number';
import type { JsonMembers } from './json-members';
import * as rules from './rules';

export { never, optional } from './rules';

export type Rule<Value, Around = unknown> = rules.Rule<JsonMembers, Value, Around>;
export type Rules<Values, Around = unknown> = rules.Rules<JsonMembers, Values, Around>;

type ImportedKind = Exclude<ColumnKind, 'key' | 'derived' | 'options' | 'status' | 'flag'>;
type ReadMember = (members: JsonMembers, name: string, column: Column) => unknown;

/**
 * How programs of others write the values of each kind of column: blank texts and empty amounts mean nothing. Options,
 * statuses and flags have rules of their own.
 */
const readers: Readonly<Record<ImportedKind, ReadMember>> = {
  externalId: (members, name) => members.id(name),
  text: (members, name, { isRequired }) => (isRequired ? members.requiredText(name) : members.filledText(name)),
  indexed: (members, name) => members.parsed(name, checkIndexedText),
  currency: (members, name) => members.currency(name),
  decimal: (members, name) => members.filledDecimal(name),
  tags: (members, name) => members.commaTags(name),
  count: (members, name) => members.count(name),
  quantity: (members, name) => members.wholeNumber(name, safeBounds),
  position: (members, name) => members.wholeNumber(name, positionBounds),
  timestamp: (members, name) => members.timestamp(name),
};

/** The object that has the last member of a path; null where there is none. */
function ownerOf(members: JsonMembers, path: readonly string[]): JsonMembers | null {
  let owner: JsonMembers | null = members;
  for (const name of path) owner = owner?.object(name) ?? null;
  return owner;
}

/** A value as the kind of its column is written; of several paths of members, the first that has one. */
export function from(...paths: readonly [string, ...string[]]): Rule<never> {
  const steps = paths.map((path) => {
    const owner = path.split('.');
    return { name: owner.pop() ?? path, owner };
  });
  return {
    names: paths.map((path) => path.replace(/\..*/, '')),
    areAlternatives: true,
    read(members, column) {
      let value: unknown = null;
      for (const { owner, name } of steps) {
        const object = ownerOf(members, owner);
        value = object && readers[column.kind as ImportedKind](object, name, column);
        if (value !== null) break;
      }
      return value as never;
    },
  };
}

/** An id that is written in a form of the platform's own. */
export const id = (name: string, parse: (text: string, location: SourceLocation) => string): Rule<string> => ({
  names: [name],
  read: (members) => members.id(name, parse),
});

/** A word that is stored in capital letters. */
export const upperCase = (name: string): Rule<string | null> => ({
  names: [name],
  read: (members) => members.parsed(name, checkIndexedText)?.toUpperCase() ?? null,
});

export const made: <Value, Around = unknown>(
  names: readonly string[],
  read: (members: JsonMembers, around: Around) => Value,
  note?: string,
) => Rule<Value, Around> = rules.made;

export const either: <Value, Around = unknown>(
  names: readonly string[],
  read: (members: JsonMembers, around: Around) => Value,
  note?: string,
) => Rule<Value, Around> = rules.either;
