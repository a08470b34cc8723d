import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';
import { questions } from './questions';
import { connectTools } from './tools-client';

let service: DemoService;
let tools: Awaited<ReturnType<typeof connectTools>>;
beforeAll(async () => {
  service = await startDemoService();
  tools = await connectTools(service.origin, service.apiKey);
});
afterAll(async () => {
  await tools.close();
  await service.close();
});

it('has fifty questions', () => expect(questions).toHaveLength(50));

it.each(questions)('%s', async (_, find, answer) => {
  expect(await find(tools)).toEqual(answer);
});
