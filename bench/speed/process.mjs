/* global performance */
/** Child processes of the benchmark: servers that report where they listen, and end with it. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

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
      child.once('exit', (code, signal) => {
        running.delete(child);
        end(signal ?? `code ${code}`);
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
    void ended.then((reason) => {
      clearTimeout(timer);
      reject(new Error(`${command} ${args.join(' ')} exited with ${reason}:\n${output}`));
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

/** CPU time that a server of PostgreSQL has used, in milliseconds; undefined where it runs on another machine. */
export async function databaseMilliseconds(query) {
  const [{ pid }] = await query('SELECT pg_backend_pid() AS pid');
  try {
    const statOf = (id) => readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ');
    const postmaster = statOf(pid)[1];
    const alive = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    // CPU time of its children that have ended.
    const [user, system] = statOf(postmaster).slice(13, 15);
    return alive.reduce(
      (sum, child) => sum + (existsSync(`/proc/${child}`) ? threadMilliseconds(child) : 0),
      (Number(user) + Number(system)) * 10,
    );
  } catch {
    return undefined;
  }
}

/** CPU time of the main thread of a process, exactly. */
export const threadMilliseconds = (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** CPU time of a process and its workers. */
export const treeMilliseconds = (pid) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .reduce((sum, child) => sum + processorMilliseconds(child), processorMilliseconds(pid));

/** CPU time that the process has used, in milliseconds; undefined where there is no /proc. */
export function processorMilliseconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}
