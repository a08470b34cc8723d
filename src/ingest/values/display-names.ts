import { maskAddresses } from '../../privacy/addresses';

const maxNameLength = 100;

/**
 * Shortens a name for display. It is masked before it is cut, or half an address could remain. It is copied, because a
 * slice would keep the whole text in memory.
 */
export function displayName(name: string, maxLength = maxNameLength): string {
  const masked = maskAddresses(name.slice(0, 10 * maxNameLength));
  return masked.length > maxLength ? Buffer.from(masked.slice(0, maxLength)).toString() : masked;
}

/** A name from a file, in quotes. */
export const quotedName = (name: string): string => JSON.stringify(displayName(name, 60));

/** Lists the first of several items; `, …` stands for the others. */
export function listFirst<Item>(items: Iterable<Item>, most: number, show: (item: Item) => string): string {
  const all = [...items];
  return all.slice(0, most).map(show).join(', ') + (all.length > most ? ', …' : '');
}
