/* global clearTimeout, performance, setTimeout */
/** Child processes of the benchmark: servers that report where they listen, and end with it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a server and waits for its line with `listening on http://…`.
 * @returns where it listens, how long that took, and a function that stops it
 */
export function startServer(command, args, { env = {}, cwd, ownGroup = false, deadlineSeconds = 60 } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, {
      cwd,
      detached: ownGroup,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const ended = new Promise((end) => {
      child.once('exit', (code) => {
        running.delete(child);
        end(code);
      });
    });
    let output = '';
    const read = (chunk) => {
      if (output.length < 20_000) output += chunk;
      const [, origin] = /listening on (http:\/\/[^\s"]+)/.exec(output) ?? [];
      if (origin === undefined) return;
      clearTimeout(timer);
      resolve({
        origin,
        pid: child.pid,
        milliseconds: performance.now() - started,
        output: () => output,
        stop: async () => {
          if (ownGroup) process.kill(-child.pid, 'SIGTERM');
          else child.kill('SIGTERM');
          await ended;
        },
      });
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${command} ${args.join(' ')} did not listen in time:\n${output}`));
    }, deadlineSeconds * 1000);
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then((code) => {
      clearTimeout(timer);
      reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`));
    });
  });
}

/** Resident memory in bytes, as Linux counts it; undefined elsewhere. */
export function residentBytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return undefined;
  }
}

/**
 * CPU time that the connections of a database have used, in milliseconds, but for that of the query itself; undefined
 * where the server is another machine's.
 */
export async function databaseMilliseconds(query) {
  const rows = await query(
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> 'oracle'`,
  );
  try {
    return rows.reduce((sum, { pid }) => sum + threadMilliseconds(pid), 0);
  } catch {
    return undefined;
  }
}

/** CPU time of the main thread of a process, exactly. */
export const threadMilliseconds = (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** CPU time that the process has used, in milliseconds; undefined where there is no /proc. */
export function processorMilliseconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}
