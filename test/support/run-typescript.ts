import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts a TypeScript file of this repository as a separate process.
 *
 * @param nodeOptions options of Node, such as `--max-old-space-size=110`
 */
export function spawnTypeScript(
  file: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  options: SpawnOptions = {},
): ChildProcess {
  const hook = resolve(__dirname, 'typescript-hook.cjs');
  return spawn(process.execPath, [...nodeOptions, '--require', hook, resolve(__dirname, '..', file), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
}

/** Runs a TypeScript file of this repository to its end. */
export function runTypeScript(
  file: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<Finished> {
  const child = spawnTypeScript(file, args, nodeOptions);
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  return new Promise((done) => child.once('close', (code) => done({ code, ...output })));
}
