import { displayName } from '../values/display-names';

/** A file with more names than this is of another kind; further names are counted together. */
const maxNames = 100;

/** Counts what the formats left out. */
export class DroppedCounter {
  emails = 0;
  readonly #members = new Map<string, number>();

  member(given: string): void {
    const name = displayName(given);
    const key = this.#members.has(name) || this.#members.size < maxNames ? name : '(others)';
    this.#members.set(key, (this.#members.get(key) ?? 0) + 1);
  }

  get ignoredMembers(): Record<string, number> {
    return Object.fromEntries(this.#members);
  }
}
