import { setTimeout as delay } from 'node:timers/promises';
import type { Recorded } from '../support/load';
import { isAnswered, startLoad } from '../support/load';
import type { Oracle } from '../support/oracle';
import { startServiceProcess } from '../support/service-process';

export interface KilledProcess {
  readonly requests: readonly Recorded[];
  /** The requests in flight at the process when it was killed. */
  readonly harmedInFlight: number;
  /** Any other request without a response: of the other process, or of this one before it was killed. */
  readonly harmedElsewhere: number;
  /** Wrong responses. */
  readonly problems: readonly string[];
}

/** Two processes under load, one of which is killed. Later requests to it meet a closed port and do not count. */
export async function runKilledProcess(
  databaseUrl: string,
  oracle: Oracle,
  clients: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<KilledProcess> {
  const [doomed, other] = [
    await startServiceProcess(databaseUrl, settings),
    await startServiceProcess(databaseUrl, settings),
  ];
  const writing = oracle.startWriting();
  const [doomedLoad, otherLoad] = [doomed, other].map(({ origin }) =>
    startLoad(origin, oracle.questions, clients / 2, 10),
  );
  await delay(1_000);
  const killedAt = performance.now();
  await doomed.end('SIGKILL');
  await doomedLoad?.stop();
  await delay(500);
  await otherLoad?.stop();
  await writing.stop();
  await other.end();
  const asked = (doomedLoad?.records ?? []).filter(({ startedAt }) => startedAt < killedAt);
  const inFlight = asked.filter(({ startedAt, milliseconds }) => startedAt + milliseconds >= killedAt);
  const elsewhere = [...asked.filter((record) => !inFlight.includes(record)), ...(otherLoad?.records ?? [])];
  const answered = [...elsewhere, ...inFlight.filter(({ status }) => status !== 0)];
  return {
    requests: [...asked, ...(otherLoad?.records ?? [])],
    harmedInFlight: inFlight.filter((record) => !isAnswered(record)).length,
    harmedElsewhere: elsewhere.filter((record) => !isAnswered(record)).length,
    problems: [...new Set(answered.flatMap((record) => oracle.findProblems(record)))],
  };
}
