import { execFileSync } from 'node:child_process';
import { projectRoot } from '../../src/common/project-root';
import { useTestDatabase } from '../support/test-database';

const print = (name: string): string =>
  execFileSync(process.execPath, ['docs/statements.mjs', name], { cwd: projectRoot, encoding: 'utf8' });

describe('docs/statements.mjs', () => {
  const database = useTestDatabase();

  it('prints a page that PostgreSQL understands', async () => {
    const text = print('page');
    expect(text).toContain('short_scan AS MATERIALIZED (\n');
    const session = await database.connect();
    await session.query(`PREPARE page AS ${text}`);
  });

  it('prints the statement of an import', () => {
    expect(print('import')).toMatch(/^WITH product AS MATERIALIZED \(\n[^]*\n\), updated_variant AS \(/);
  });
});
