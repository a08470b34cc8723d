import { randomBytes } from 'node:crypto';
import type { Request } from 'express';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeBody } from '../../src/http/response/send';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as NodeJS.GCFunction;

it.each(['br', 'gzip'] as const)('%s keeps no body until V8 marks its whole heap', async (encoding) => {
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 20; count += 1) {
    const body = Buffer.alloc(400_000, randomBytes(500));
    expect((await encodeBody({} as Request, body, encoding)).length).toBeLessThan(body.length / 2);
  }
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
});
