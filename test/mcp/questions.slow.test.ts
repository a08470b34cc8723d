import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { DemoService } from '../clients/demo-service';
import { startDemoService } from '../clients/demo-service';
import type { Item, Tools } from './questions';
import { questions } from './questions';

let service: DemoService;
let client: Client;
beforeAll(async () => {
  service = await startDemoService();
  client = new Client({ name: 'questions', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { Authorization: `Bearer ${service.apiKey}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.address}/mcp`), { requestInit: { headers } }),
  );
  // The client checks answers against the schemas of the tools that it has listed.
  await client.listTools();
});
afterAll(async () => {
  await client.close();
  await service.close();
});

interface Page {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

async function call(name: string, given: Item): Promise<Page> {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: given });
  if (isError === true) throw new Error(JSON.stringify(content));
  return structuredContent as Page;
}

const tools: Tools = {
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
};

it('has fifty questions', () => expect(questions).toHaveLength(50));

it.each(questions)('%s', async (_, find, answer) => {
  expect(await find(tools)).toEqual(answer);
});
