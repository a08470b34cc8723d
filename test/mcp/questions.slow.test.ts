import type { DemoService } from '../clients/demo-service';
import { startDemoService } from '../clients/demo-service';
import { questions } from './questions';
import { connectTools } from './tools-client';

let service: DemoService;
let tools: Awaited<ReturnType<typeof connectTools>>;
beforeAll(async () => {
  service = await startDemoService();
  tools = await connectTools(service.address, service.apiKey);
});
afterAll(async () => {
  await tools.close();
  await service.close();
});

it('has fifty questions', () => expect(questions).toHaveLength(50));

it.each(questions)('%s', async (_, find, answer) => {
  expect(await find(tools)).toEqual(answer);
});
