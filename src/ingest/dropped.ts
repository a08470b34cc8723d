import { maskAddresses } from '../privacy/addresses';

/** What the formats left out, counted. */
export interface Dropped {
  email(): void;
  member(name: string): void;
}

/** More names than this are a file of another kind; they are counted together. */
const maxNames = 100;

export class DroppedCounter implements Dropped {
  emails = 0;
  readonly #members = new Map<string, number>();

  email(): void {
    this.emails += 1;
  }

  member(name: string): void {
    const key = this.#members.has(name) || this.#members.size < maxNames ? name : '(others)';
    this.#members.set(key, (this.#members.get(key) ?? 0) + 1);
  }

  get ignoredMembers(): Record<string, number> {
    return Object.fromEntries([...this.#members].map(([name, count]) => [maskAddresses(name).slice(0, 100), count]));
  }
}
