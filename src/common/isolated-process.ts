import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { answerWithin } from './timer';
import { cpuTimeSignal } from './cpu-time';

/** An isolated process exited, or never started, before it replied to a request. */
export class ProcessDeath extends Error {
  override readonly name = 'ProcessDeath';

  constructor(
    message: string,
    /** Whether the request is not at fault: the process was killed, by someone or for lack of memory. */
    readonly isFromOutside: boolean,
  ) {
    super(message);
  }
}

/** The reply when the process refuses a request. */
export interface RefusedReply {
  readonly kind: 'Refused';
  readonly reason: string;
}

export interface IsolatedProcess<Request, Reply extends { readonly kind: string }> {
  readonly processId: number | undefined;
  /**
   * Sends a request; only one at a time. A process that does not reply in time is killed.
   * @throws ProcessDeath; Error when the process refuses the request.
   */
  ask(request: Request, limitMilliseconds: number): Promise<Exclude<Reply, RefusedReply>>;
  stop(): void;
}

interface IsolatedProcessOptions {
  /** For messages: `The query planner`. */
  readonly name: string;
  /** Path of the module to run, without its extension. */
  readonly module: string;
  /** Further options of node. */
  readonly execArgv?: readonly string[];
  /** CPU time for one request; a process that uses more kills itself. Without it, only elapsed time counts. */
  readonly maxCpuMilliseconds?: number | undefined;
  readonly onDeath: () => void;
}

/** Maximum length of a panic's message in the log. */
const maxPanicCharacters = 500;

/**
 * Starts a process that answers requests over IPC (serve-requests.ts is its other end). It exits with this process, and
 * keeps this process alive only during a request.
 */
export function startIsolatedProcess<Request extends object, Reply extends { readonly kind: string }>({
  name,
  module,
  execArgv = [],
  maxCpuMilliseconds,
  onDeath,
}: IsolatedProcessOptions): IsolatedProcess<Request, Reply> {
  const child = fork(
    `${module}${extname(__filename)}`,
    maxCpuMilliseconds === undefined ? [] : [`${maxCpuMilliseconds}`],
    {
      // The environment contains secrets, and the work needs none of it.
      env: {},
      execArgv: [...process.execArgv, ...execArgv],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  let panic = '';
  let isTooLate = false;
  let death: ProcessDeath | undefined;
  let settle: (outcome: Reply | ProcessDeath) => void = () => undefined;

  function die(message: string, isFromOutside: boolean): void {
    if (death !== undefined) return;
    death = new ProcessDeath(message, isFromOutside);
    onDeath();
    settle(death);
  }
  child.stderr?.on('data', (chunk: Buffer) => (panic = (panic + chunk.toString()).slice(0, maxPanicCharacters)));
  child.on('message', (reply: Reply) => settle(reply));
  child.on('error', (error) => die(`${name} could not be started: ${error.message}`, true));
  child.on('close', (code, signal) => {
    if (isTooLate) die(`${name} took too long.`, false);
    else if (signal === cpuTimeSignal)
      die(`${name} took more than ${(maxCpuMilliseconds ?? 0) / 1000} s of CPU time.`, false);
    else die(`${name} exited (${signal ?? code}). ${panic}`, signal === 'SIGKILL');
  });
  const handles = [child, child.channel, child.stderr as Socket | null];
  for (const handle of handles) handle?.unref();

  return {
    processId: child.pid,
    async ask(request, limitMilliseconds) {
      for (const handle of handles) handle?.ref();
      const answered = new Promise<Reply | ProcessDeath>((resolve) => {
        settle = resolve;
        if (death !== undefined) resolve(death);
        // If it cannot be sent, the exit of the process reports why.
        else child.send(request, () => undefined);
      });
      answerWithin(answered, limitMilliseconds).catch(() => {
        isTooLate = true;
        child.kill('SIGKILL');
      });
      const outcome = await answered;
      for (const handle of handles) handle?.unref();
      if (outcome instanceof ProcessDeath) throw outcome;
      if (isRefusedReply(outcome)) throw new Error(outcome.reason);
      return outcome as Exclude<Reply, RefusedReply>;
    },
    stop() {
      // Now, not when the process has exited: requests sent in between would be lost with it.
      die(`${name} was stopped.`, true);
      child.kill('SIGKILL');
    },
  };
}

/** A process that is started when needed, also after it has died. */
export function createProcessOnDemand<Request extends object, Reply extends { readonly kind: string }>(
  options: Omit<IsolatedProcessOptions, 'onDeath'>,
  onIdle: () => void,
) {
  let running: IsolatedProcess<Request, Reply> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let inFlight = 0;

  function start(): IsolatedProcess<Request, Reply> {
    const started: typeof running = startIsolatedProcess<Request, Reply>({
      ...options,
      onDeath() {
        if (running === started) running = undefined;
      },
    });
    return (running = started);
  }

  return {
    get processId() {
      return running?.processId;
    },
    get process() {
      return running ?? start();
    },
    /**
     * Runs one task at a time, so that the cause of a process's death is known. A task that was not the cause is
     * retried once.
     */
    async inTurn<Answer>(task: () => Promise<Answer>): Promise<Answer> {
      inFlight += 1;
      const answer = last.then(task).catch((thrown: unknown) => {
        if (thrown instanceof ProcessDeath && thrown.isFromOutside) return task();
        throw thrown;
      });
      last = answer.catch(() => undefined);
      try {
        return await answer;
      } finally {
        inFlight -= 1;
        if (inFlight === 0) onIdle();
      }
    },
    isIdle: () => inFlight === 0,
    stop: () => running?.stop(),
  };
}

const isRefusedReply = (reply: { readonly kind: string }): reply is RefusedReply => reply.kind === 'Refused';
