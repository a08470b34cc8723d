import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname, join } from 'node:path';
import type { Timer } from '../timer';
import type { PlannerRefusal, PlannerReply, PlannerRequest } from './planner-messages';

/** The planner's process ended, or never began, and left a request without a reply. */
export class PlannerDeath extends Error {
  override readonly name = 'PlannerDeath';

  constructor(
    message: string,
    /** By no doing of its own: somebody ended it, or a system short of memory. */
    readonly isFromOutside: boolean,
  ) {
    super(message);
  }
}

export interface RunningPlanner {
  readonly processId: number | undefined;
  /**
   * Only one at a time. A process that does not reply in time is ended.
   * @throws PlannerDeath; Error when the planner refuses the request.
   */
  ask(request: PlannerRequest, limitMilliseconds: number): Promise<Exclude<PlannerReply, PlannerRefusal>>;
  stop(): void;
}

/** Of what a panic says, for the log. */
const maxPanicCharacters = 500;

/** Starts a process for plans. It ends with this one, and keeps this one from ending only while it is asked for something. */
export function startPlanner(timer: Timer, onDeath: () => void): RunningPlanner {
  const child = fork(join(__dirname, `planner-process${extname(__filename)}`), {
    // The environment holds secrets, and planning needs nothing of it.
    env: {},
    execArgv: process.execArgv,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let panic = '';
  let isTooLate = false;
  let death: PlannerDeath | undefined;
  let settle: (outcome: PlannerReply | PlannerDeath) => void = () => undefined;

  function die(message: string, isFromOutside: boolean): void {
    if (death !== undefined) return;
    death = new PlannerDeath(message, isFromOutside);
    onDeath();
    settle(death);
  }
  child.stderr?.on('data', (chunk: Buffer) => (panic = (panic + chunk.toString()).slice(0, maxPanicCharacters)));
  child.on('message', (reply: PlannerReply) => settle(reply));
  child.on('error', (error) => die(`The query planner does not run: ${error.message}`, true));
  child.on('close', (code, signal) => {
    if (isTooLate) die('The query planner took too long.', false);
    else die(`The query planner ended (${signal ?? code}). ${panic}`, signal === 'SIGKILL');
  });
  child.unref();
  child.channel?.unref();
  (child.stderr as Socket | null)?.unref();

  return {
    processId: child.pid,
    async ask(request, limitMilliseconds) {
      let isOver = false;
      // After a turn of the event loop: where this process had no turns, the reply may lie there already.
      const cancel = timer.after(limitMilliseconds, () =>
        setImmediate(() => {
          if (isOver) return;
          isTooLate = true;
          child.kill('SIGKILL');
        }),
      );
      child.channel?.ref();
      const outcome = await new Promise<PlannerReply | PlannerDeath>((resolve) => {
        settle = resolve;
        if (death !== undefined) resolve(death);
        // Why it could not be sent is told by the end of the process.
        else child.send(request, () => undefined);
      });
      isOver = true;
      cancel();
      child.channel?.unref();
      if (outcome instanceof PlannerDeath) throw outcome;
      if (outcome.kind === 'Refused') throw new Error(outcome.reason);
      return outcome;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
