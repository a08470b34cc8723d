import { execFileSync } from 'node:child_process';

/** The processes that a process started and that run now. */
export function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid=']).toString();
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child as number);
}

/** Whether the process is there; one that ended and that nobody has asked about yet is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
