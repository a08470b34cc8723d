import { displayName } from './values/display-names';

/** A file with more columns than this is of another kind. */
const maxNames = 200;

/** The ignored columns and the missing columns of one file. */
export class ColumnNotes {
  #missing: readonly string[] = [];
  #unread: readonly string[] = [];

  note(missing: readonly string[], unread: readonly string[]): void {
    this.#missing = missing;
    this.#unread = unread.slice(0, maxNames).map((name) => displayName(name));
  }

  get report(): { readonly missingColumns: readonly string[]; readonly unreadColumns: readonly string[] } {
    return { missingColumns: this.#missing, unreadColumns: this.#unread };
  }
}
