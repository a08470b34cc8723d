import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';

const root = resolve(__dirname, '../..');
const run = promisify(execFile);

/** The environment without the settings of this run's own database. */
const environment = (settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return { ...inherited, PRISMA_HIDE_UPDATE_MESSAGE: '1', ...settings };
};

/** The address that prisma.config.ts gives to Prisma's commands. */
async function findAddress(settings: NodeJS.ProcessEnv): Promise<string> {
  const program = `
    import('@prisma/config').then(async ({ loadConfigFromFile }) => {
      const { resolvedPath, config } = await loadConfigFromFile({});
      console.log(JSON.stringify({ resolvedPath, url: config.datasource.url }));
    });`;
  const { stdout } = await run(process.execPath, ['-e', program], { cwd: root, env: environment(settings) });
  return (JSON.parse(stdout) as { url: string }).url;
}

describe("Prisma's own commands", () => {
  it('find the running embedded database, and prefer DATABASE_URL', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'catalog-prisma-'));
    expect(await findAddress({ DATA_DIR: dataDirectory })).toBe('');
    const server = await startEmbeddedPostgres({ dataDirectory, log: () => undefined, durable: false });
    try {
      const url = await findAddress({ DATA_DIR: dataDirectory });
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ one: number }>('SELECT 1 AS one');
      await client.end();
      expect(rows).toEqual([{ one: 1 }]);
      const elsewhere = 'postgresql://elsewhere.example/catalog';
      expect(await findAddress({ DATA_DIR: dataDirectory, DATABASE_URL: elsewhere })).toBe(elsewhere);
    } finally {
      await server.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  });

  it('validate the schema without downloading anything', async () => {
    const prisma = join(root, 'node_modules/prisma/build/index.js');
    const { stdout } = await run(process.execPath, [prisma, 'validate'], {
      cwd: root,
      env: environment({ PRISMA_ENGINES_MIRROR: 'http://127.0.0.1:9' }),
    });
    expect(stdout).toContain('is valid');
  });
});
