// `npm run check`: runs all checks in parallel, prints the output of each when it ends, and exits with 1 if any failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const checks = ['lint', 'types', 'format', 'imports', 'openapi', 'compatibility', 'licenses'];

async function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { shell: process.platform === 'win32' });
  const written = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => written.push(bytes));
  const [code] = await once(child, 'close');
  console.log(`${name}: ${code === 0 ? 'passes' : 'FAILS'}`);
  process.stdout.write(Buffer.concat(written));
  return code === 0 ? [] : [name];
}

const failed = (await Promise.all(checks.map(run))).flat();
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}. Run one alone with \`npm run ${failed[0]}\`.`);
  process.exit(1);
}
