import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';

const client = join(projectRoot, 'client');

it('client/src/openapi.ts holds the types of rest/openapi.yaml', () => {
  const types = execFileSync(process.execPath, ['codegen.mjs', '--print'], { cwd: client }).toString();
  expect(readFileSync(join(client, 'src/openapi.ts'), 'utf8')).toBe(types);
});
