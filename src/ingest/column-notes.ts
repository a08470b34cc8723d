import { shownName } from './dropped';

/** More columns than this are a file of another kind. */
const maxNames = 200;

/** The columns of one file that say nothing, and those that are not there. */
export class ColumnNotes {
  #missing: readonly string[] = [];
  #unread: readonly string[] = [];

  note(missing: readonly string[], unread: readonly string[]): void {
    this.#missing = missing;
    this.#unread = unread.slice(0, maxNames).map(shownName);
  }

  get report(): { readonly missingColumns: readonly string[]; readonly unreadColumns: readonly string[] } {
    return { missingColumns: this.#missing, unreadColumns: this.#unread };
  }
}
