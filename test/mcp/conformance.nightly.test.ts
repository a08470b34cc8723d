import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { largePackage } from '../clients/large-packages';
import { seedApiKey, seedShop } from '../support/seed';
import { useService } from '../support/service';

let apiKey: string;
const service = useService({ rateLimit: 100_000 });
beforeAll(async () => {
  ({ apiKey } = await seedApiKey(service.sql, await seedShop(service.sql)));
});

/**
 * The tests of the conformance suite that concern tools alone. Others need a server of the suite, or prompts, resources
 * and sessions.
 */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

it('the conformance suite passes, as far as it applies', async () => {
  const own = new URL(service.origin);
  const front = createServer((incoming, outgoing) => {
    const { origin, ...headers } = incoming.headers;
    const isOwn = origin === undefined || new URL(origin).port === String((front.address() as AddressInfo).port);
    const sent = { ...headers, ...(!isOwn && { origin }), authorization: `Bearer ${apiKey}` };
    incoming.pipe(
      request(
        { port: own.port, host: own.hostname, path: incoming.url, method: incoming.method, headers: sent },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(outgoing);
        },
      ),
    );
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(front.address() as AddressInfo).port}/mcp`;
  for (const scenario of scenarios) {
    const words = [
      largePackage('@modelcontextprotocol/conformance', 'dist/index.js'),
      'server',
      '--url',
      url,
      '--scenario',
      scenario,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      cwd: mkdtempSync(join(tmpdir(), 'conformance-')),
    });
    expect(stdout).toMatch(/, 0 failed/);
  }
  front.close();
});
