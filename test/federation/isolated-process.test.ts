import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { IsolatedProcess } from '../../src/common/isolated-process';
import { ProcessDeath, startIsolatedProcess } from '../../src/common/isolated-process';
import { createManualTimer } from './support/manual-timer';

type Request = { readonly kind: 'Answer' | 'Wait' | 'Spin' };

let child: IsolatedProcess<Request, { readonly kind: 'Answered' }>;
beforeEach(() => {
  // The clock does not advance.
  createManualTimer();
  child = startIsolatedProcess({
    name: 'The test',
    module: join(__dirname, 'support/spinning-process'),
    maxCpuMilliseconds: 300,
    onDeath: () => undefined,
  });
});
afterEach(() => {
  child.stop();
  jest.restoreAllMocks();
});

const root = join(__dirname, '../..');
const options = ['--require', './test/support/typescript-hook.cjs', '-'];

it('keeps a program alive until it has reported the death', () => {
  const input = `
    const { startIsolatedProcess } = require('./src/common/isolated-process.ts');
    const module = require.resolve('./test/federation/support/spinning-process.ts').slice(0, -3);
    startIsolatedProcess({ name: 'The test', module, maxCpuMilliseconds: 300, onDeath() {} })
      .ask({ kind: 'Spin' }, 60_000).catch((death) => console.log(death.message));`;
  const { stdout } = spawnSync(process.execPath, options, { cwd: root, input });
  expect(stdout.toString()).toContain('CPU time');
});

it('composes at the usual priority where a sandbox forbids a lower one', () => {
  const input = `
    require('node:os').setPriority = () => { throw new Error('EPERM'); };
    require('./src/federation/catalog/composer-process.ts');`;
  expect(spawnSync(process.execPath, options, { cwd: root, input, timeout: 60_000 }).stderr.toString()).toBe('');
});

describe('CPU time of an isolated process', () => {
  it('ends the process that uses it up, with a reason', async () => {
    const death = await child.ask({ kind: 'Spin' }, 1).catch((thrown: unknown) => thrown);
    expect(death).toBeInstanceOf(ProcessDeath);
    expect(death).toMatchObject({ message: 'The test took more than 0.3 s of CPU time.', isFromOutside: false });
  });

  it('is not used up by waiting, nor by many sequential requests', async () => {
    expect(await child.ask({ kind: 'Wait' }, 1)).toEqual({ kind: 'Answered' });
    for (let round = 0; round < 500; round += 1)
      expect(await child.ask({ kind: 'Answer' }, 1)).toEqual({ kind: 'Answered' });
  });
});
