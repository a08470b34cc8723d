import { limitCpuTime } from './cpu-time';
import type { RefusedReply } from './isolated-process';

/** Makes this process the other end of isolated-process.ts: each message is a request and gets one reply. */
export function serveRequests<Request>(answer: (request: Request) => object | Promise<object>): void {
  const [, , maxCpuMilliseconds] = process.argv;
  const cpuTime = maxCpuMilliseconds === undefined ? undefined : limitCpuTime(Number(maxCpuMilliseconds));
  process.on('message', (request: Request) => {
    cpuTime?.begin();
    void Promise.resolve()
      .then(() => answer(request))
      .catch(refusal)
      .then((reply) => {
        cpuTime?.end();
        process.send?.(reply);
      });
  });
  // Not process.exit(), which waits for native work that may never finish.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Terminals and supervisors signal all processes of a group. The parent finishes its requests, and may need this
  // process for them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

const refusal = (thrown: unknown): RefusedReply => ({
  kind: 'Refused',
  reason: describeSdlFailure(thrown),
});

/** The reason why SDL cannot be used, for its author. */
export function describeSdlFailure(thrown: unknown): string {
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message)) {
    return 'the SDL is nested too deeply to check; use fewer types or shallower nesting';
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
