import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Item, Tools } from './questions';

interface Page {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** The tools of a service, as a program calls them. */
export async function connectTools(origin: string, apiKey: string): Promise<Tools & { close(): Promise<void> }> {
  const client = new Client({ name: 'questions', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { Authorization: `Bearer ${apiKey}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }));
  // The client checks results against the schemas of the tools that it has listed.
  await client.listTools();
  async function call(name: string, given: Item): Promise<Page> {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: given });
    if (isError === true) throw new Error(JSON.stringify(content));
    return structuredContent as Page;
  }
  return {
    ask: async (name, given = {}) => (await call(name, given)).data,
    async list(name, given = {}) {
      const items: Item[] = [];
      for (let cursor: string | null = null; ;) {
        const page: Page = await call(name, { ...given, ...(cursor !== null && { cursor }) });
        items.push(...page.data);
        if (!page.has_more) return items;
        cursor = page.next_cursor;
      }
    },
    close: () => client.close(),
  };
}
