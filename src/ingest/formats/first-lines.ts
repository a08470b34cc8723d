import { hash } from 'node:crypto';
import type { ImportError, SourceLocation } from '../values/import-error';
import type { Problems } from './problems';

/** Remembering more objects of a CSV would take too much memory; snapshots have no such limit. */
export const maxObjectsOfCsv = 1_000_000;

/** Names longer than their digest are stored as the digest. */
const longestName = 32;

const keyOf = (name: string): string => (name.length > longestName ? hash('sha256', name, 'base64url') : name);

/** The line where each object of a CSV began: an object may occur only once, in consecutive rows. */
export class FirstLines {
  readonly #lines = new Map<string, number>();

  /** Whether another object would be one too many. */
  get isFull(): boolean {
    return this.#lines.size >= maxObjectsOfCsv;
  }

  lineOf(name: string): number | undefined {
    return this.#lines.get(keyOf(name));
  }

  /**
   * @returns the earlier line where an object of this name began
   * @throws ImportError when there are too many
   */
  note(name: string, location: SourceLocation): number | undefined {
    const key = keyOf(name);
    const earlier = this.#lines.get(key);
    if (earlier !== undefined) return earlier;
    if (this.isFull) {
      throw location.fault(
        `expected at most ${maxObjectsOfCsv} objects per file; split the file and import all parts together`,
      );
    }
    this.#lines.set(key, location.line);
    return undefined;
  }

  /**
   * Notes an object, and reports it where another of its name began before.
   * @param advice as for `apart`
   */
  begin(name: string, location: SourceLocation, problems: Problems, what = 'product', advice?: string): boolean {
    const earlier = this.note(name, location);
    // Leaving out its later rows would leave a stored object without their parts.
    if (earlier !== undefined)
      problems[advice === undefined ? 'add' : 'addFatal'](apart(`${what} ${JSON.stringify(name)}`, earlier, location, advice)); // prettier-ignore
    return earlier === undefined;
  }
}

/**
 * The error for an object that appears again.
 * @param advice how to group its rows, if that is needed
 */
export const apart = (what: string, earlier: number, location: SourceLocation, advice?: string): ImportError =>
  location.fault(
    `line ${earlier} already has ${what}${advice === undefined ? '' : `, and its rows must be consecutive${advice}`}`,
  );
