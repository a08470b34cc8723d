import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exchange } from '../support/rest-client';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

const run = promisify(execFile);
const root = join(__dirname, '../..');

/** How each tab of a box is run. */
const interpreters: readonly (readonly [language: string, file: string, command: readonly string[]])[] = [
  ['curl', 'call.sh', ['bash']],
  ['fetch', 'call.mjs', [process.execPath]],
  ['client', 'call.mjs', [process.execPath]],
  ['python', 'call.py', ['python3']],
  ['php', 'call.php', ['php']],
];

const isInstalled = (command = ''): boolean => spawnSync(command, ['--version']).status === 0;

describe('the calls that the reference shows', () => {
  let demo: DemoService;
  let directory: string;
  let page: string;
  let productId: string;

  beforeAll(async () => {
    demo = await startDemoService();
    page = (await exchange(demo.origin, '/reference', { headers: { Accept: 'text/html' } })).text;
    const { body } = await exchange(demo.origin, '/v1/products?limit=1', {
      headers: { Authorization: `Bearer ${demo.apiKey}` },
    });
    productId = (body as { data: { id: string }[] }).data[0]?.id ?? '';
    directory = await mkdtemp(join(tmpdir(), 'snippets-'));
    // The typed client as an installed package.
    await run(process.execPath, [join(root, 'client/build.mjs'), join(directory, 'client/dist')]);
    await mkdir(join(directory, 'node_modules'));
    await writeFile(
      join(directory, 'client/package.json'),
      JSON.stringify({ name: 'catalog-read-api-client', type: 'module', exports: './dist/esm/index.js' }),
    );
    await symlink(join(directory, 'client'), join(directory, 'node_modules/catalog-read-api-client'));
  });
  afterAll(async () => {
    await demo?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const runSnippets = async (language: string, file: string, [command = '', ...words]: readonly string[]) => {
    const snippets = [
      ...page.matchAll(new RegExp(`data-snippet="${language}"[^>]*><code>([\\s\\S]*?)</code>`, 'g')),
    ].map(([, html = '']) =>
      html
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    );
    expect(snippets).toHaveLength(5);
    for (const text of snippets) {
      const path = join(directory, file);
      await writeFile(path, text);
      const { stdout } = await run(command, [...words, path], {
        env: { ...process.env, KEY: demo.apiKey, PRODUCT_ID: productId },
      });
      expect({ text, answer: stdout.slice(0, 300) }).toEqual({
        text,
        answer: expect.stringMatching(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/) as string,
      });
      expect(stdout).not.toMatch(/"?error"?:/);
    }
  };

  for (const [language, file, command] of interpreters)
    (isInstalled(command[0]) ? it : it.skip)(`in ${language} run as they are`, () =>
      runSnippets(language, file, command),
    );
});
