import { maskAddresses } from '../privacy/addresses';

/** What the formats left out, counted. */
export interface Dropped {
  email(): void;
  member(name: string): void;
}

/** More names than this are a file of another kind; they are counted together. */
const maxNames = 100;

const maxNameLength = 100;

/** Masked before it is cut, or half an address could stay. A part of a text would keep all of it in memory, so it is copied. */
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
