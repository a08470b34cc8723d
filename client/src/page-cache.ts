interface CachedPage {
  readonly etag: string;
  readonly text: string;
}

/** An LRU cache of bodies and their ETags, by URL. */
export interface PageCache {
  find(url: string): CachedPage | undefined;
  keep(url: string, page: CachedPage): void;
}

/** @param capacity maximum total size of the bodies, in characters */
export function createPageCache(capacity: number): PageCache {
  const pages = new Map<string, CachedPage>();
  let size = 0;
  const drop = (url: string): void => {
    size -= pages.get(url)?.text.length ?? 0;
    pages.delete(url);
  };
  return {
    find(url) {
      const page = pages.get(url);
      if (page !== undefined) {
        pages.delete(url);
        pages.set(url, page);
      }
      return page;
    },
    keep(url, page) {
      drop(url);
      if (page.text.length > capacity) return;
      pages.set(url, page);
      size += page.text.length;
      for (const oldest of pages.keys()) {
        if (size <= capacity) return;
        drop(oldest);
      }
    },
  };
}
