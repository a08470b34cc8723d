import { readFile } from 'node:fs/promises';

/**
 * Identifies a process, distinct from a later one with the same id: `<pid> <start time>`. The start time is known only
 * on Linux, where it matters most: in a container ids start over and are the same after every restart.
 */
export async function identifyProcess(pid: number): Promise<string> {
  return `${pid} ${await readStartTime(pid)}`;
}

/** A process that has exited but was not yet reaped by its parent is not alive. */
export async function isProcessAlive(identity: string): Promise<boolean> {
  const pid = Number(identity.split(' ')[0]);
  return isPidInUse(pid) && (await identifyProcess(pid)) === identity;
}

/** Whether any process has this id, including one of another user. */
export function isPidInUse(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readStartTime(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may contain anything; the start time is the 22nd.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? 'ended' : (fields[18] ?? '');
  } catch {
    return '';
  }
}
