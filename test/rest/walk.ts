import type { RestClient } from '../support/rest-client';

type Item = Readonly<Record<string, unknown>>;

interface Page {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** Everything in a list as a client reads it: page by page to the end. */
export async function walk(client: RestClient, target: string, limit: number): Promise<readonly Item[]> {
  const items: Item[] = [];
  const base = `${target}${target.includes('?') ? '&' : '?'}limit=${limit}`;
  let cursor: string | null = null;
  do {
    const { status, body, text } = await client.get(cursor === null ? base : `${base}&cursor=${cursor}`);
    if (status !== 200) throw new Error(`${target}: ${status} ${text}`);
    const page = body as Page;
    items.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

export const titlesOf = (items: readonly Item[]): unknown[] => items.map(({ title }) => title);
