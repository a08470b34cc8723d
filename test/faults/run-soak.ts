import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLoad } from './support/load';
import { seedOracle } from './support/oracle';
import { startOwnPostgres } from './support/own-postgres';
import { startServiceProcess } from './support/service-process';

const clients = 4;
/** What memory may grow by after the first tenth, in which caches and compiled code settle. */
const allowedGrowthMegabytes = 96;

/** `npm run soak`: ten minutes of mixed load on one process. Ends with 1 when an answer was wrong or memory kept growing. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const milliseconds = Number(values.minutes) * 60_000;
  const postgres = await startOwnPostgres();
  const oracle = await seedOracle(postgres.sql);
  const service = await startServiceProcess(postgres.serviceUrl);
  const problems = new Set<string>();
  const resident: number[] = [];
  let requests = 0;
  const slices = 10;
  for (let slice = 0; slice < slices; slice++) {
    // A slice at a time, so that what is kept of the requests does not grow.
    const load = startLoad(service.origin, oracle.questions, clients);
    await delay(milliseconds / slices);
    await load.stop();
    requests += load.records.length;
    for (const record of load.records) {
      if (record.status !== 200) problems.add(`${record.question.target}: ${record.status} ${record.failure ?? ''}`);
      for (const problem of oracle.findProblems(record)) problems.add(`${record.question.target}: ${problem}`);
    }
    resident.push(readResidentMegabytes(service.child.pid as number));
    // A write makes every kept answer old, as a synchronisation does.
    await postgres.sql("UPDATE shops SET plan_status = 'active'");
  }
  const growth = (resident.at(-1) ?? NaN) - (resident[0] ?? NaN);
  const { code } = await service.end();
  await postgres.remove();
  process.stdout.write(
    `${requests} requests, ${problems.size} problems, memory ${resident.join(' → ')} MB, exit ${code}\n`,
  );
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.size === 0 && growth <= allowedGrowthMegabytes && code === 0 ? 0 : 1;
}

function readResidentMegabytes(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(found?.[1]) / 1024);
}

void main();
