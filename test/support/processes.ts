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
