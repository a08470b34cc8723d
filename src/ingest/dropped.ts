import { maskAddresses } from '../privacy/addresses';

/** Counts what the formats left out. */
export interface Dropped {
  email(): void;
  member(name: string): void;
}

/** A file with more names than this is of another kind; further names are counted together. */
const maxNames = 100;

const maxNameLength = 100;

/**
 * Shortens a name for display. It is masked before it is cut, or half an address could remain. It is copied, because a slice would keep the
 * whole text in memory.
 */
export function shownName(name: string): string {
  const masked = maskAddresses(name.slice(0, 10 * maxNameLength));
  return masked.length > maxNameLength ? Buffer.from(masked.slice(0, maxNameLength)).toString() : masked;
}

export class DroppedCounter implements Dropped {
  emails = 0;
  readonly #members = new Map<string, number>();

  email(): void {
    this.emails += 1;
  }

  member(given: string): void {
    const name = shownName(given);
    const key = this.#members.has(name) || this.#members.size < maxNames ? name : '(others)';
    this.#members.set(key, (this.#members.get(key) ?? 0) + 1);
  }

  get ignoredMembers(): Record<string, number> {
    return Object.fromEntries(this.#members);
  }
}
