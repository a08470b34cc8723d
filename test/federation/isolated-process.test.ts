import { join } from 'node:path';
import type { IsolatedProcess } from '../../src/common/isolated-process';
import { ProcessDeath, startIsolatedProcess } from '../../src/common/isolated-process';
import { createManualTimer } from './support/manual-timer';

type Request = { readonly kind: 'Answer' | 'Wait' | 'Spin' };

let child: IsolatedProcess<Request, { readonly kind: 'Answered' }>;
beforeEach(() => {
  child = startIsolatedProcess({
    name: 'The test',
    module: join(__dirname, 'support/spinning-process'),
    maxCpuMilliseconds: 300,
    // The clock does not advance.
    timer: createManualTimer(),
    onDeath: () => undefined,
  });
});
afterEach(() => child.stop());

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
