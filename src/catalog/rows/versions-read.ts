/**
 * The versions of a shop's data that one operation has read. Each statement reports the version of its own snapshot: after a write that
 * commits between the read of the key and of a page, the page must not be cached under the version that the key's read reported
 * (docs/decisions.md 8).
 */
export class VersionsRead {
  readonly #versions = new Set<string>();

  add(version: string): void {
    this.#versions.add(version);
  }

  /**
   * The version that everything was read in.
   * @param unread The result when nothing was read.
   * @returns undefined when a write was committed between two reads
   */
  common(unread: string): string | undefined {
    const [version = unread, ...others] = this.#versions;
    return others.length === 0 ? version : undefined;
  }
}
