import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ReviewsControl } from '../reviews/serve-reviews';

export interface ReviewsProcess {
  /** The URL of its GraphQL endpoint. */
  readonly url: string;
  control(change: ReviewsControl): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the reviews subgraph as a separate process, on a free port. */
export async function startReviews(): Promise<ReviewsProcess> {
  const child = spawn(process.execPath, [join(__dirname, '../reviews/main.mjs'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = /http:\S+/.exec(line)?.[0] ?? '';
  return {
    url,
    async control(change) {
      await fetch(new URL('/control', url), { method: 'POST', body: JSON.stringify(change) });
    },
    async stop() {
      child.kill();
      await exited;
    },
  };
}
