import type { Client, PoolClient } from 'pg';
import { Pool } from 'pg';
import { parseConnectionTarget } from '../../src/config/connection-target';
import { createHostChoice } from '../../src/database/host-choice';
import { useTestDatabase } from '../support/test-database';

const database = useTestDatabase();

/** A URL with several hosts: 'up' is the server, 'down' a port on which nothing listens. */
function hostsOf(...states: readonly ('up' | 'down')[]) {
  const url = new URL(database.url);
  const hosts = states.map((state) => (state === 'up' ? url.host : `${url.hostname}:1`)).join(',');
  return parseConnectionTarget(database.url.replace(url.host, hosts));
}

/** For a number of attempts, whether each finds a server. */
async function attempt(target: ReturnType<typeof hostsOf>, first: number, times: number): Promise<readonly boolean[]> {
  const found: boolean[] = [];
  const pool = new Pool({ ...createHostChoice(target, first, { isReplica: false }), max: 1, maxUses: 1 });
  for (let at = 0; at < times; at += 1)
    found.push(
      await pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  await pool.end();
  return found;
}

it.each([
  ['stays with a host that answers', ['up', 'down'], 0, [true, true, true]],
  ['begins with the host that was found to be the primary', ['down', 'up'], 1, [true, true]],
  ['tries the next host when one cannot be reached', ['down', 'up'], 0, [false, true, true]],
  ['tries all of them', ['down', 'down', 'up'], 0, [false, false, true, true]],
  ['begins anew after the last', ['up', 'down'], 1, [false, true, true]],
  ['has only one to try', ['down'], 0, [false, false]],
] as const)('a pool %s', async (_rule, states, first, found) => {
  expect(await attempt(hostsOf(...states), first, found.length)).toEqual(found);
});

/** A connection to the first host, which reports whether it is a standby. */
const sayStandby = (client: object, isStandby: boolean): PoolClient =>
  Object.assign(client, {
    query: (text: string) =>
      // All settings have the required values.
      Promise.resolve({ rows: text.includes('pg_is_in_recovery') ? [{ is_standby: isStandby }] : [] }),
  }) as unknown as PoolClient;

it.each([
  ['leaves a standby for the next host', false, true, 1],
  ['stays with the primary', false, false, 0],
  ['stays with a standby that is read as a replica', true, true, 0],
] as const)('a pool %s', async (_rule, isReplica, isStandby, next) => {
  const choice = createHostChoice(hostsOf('up', 'up'), 0, { isReplica });
  const create = () => new choice.Client({}) as Client & { readonly hostIndex: number };
  const failure = await new Promise((resolve) => choice.verify(sayStandby(create(), isStandby), resolve));
  expect([failure instanceof Error, create().hostIndex]).toEqual([next === 1, next]);
});

it('connections that were opened together and fail together leave their host once', async () => {
  const choice = createHostChoice(hostsOf('up', 'up', 'up'), 0, { isReplica: false });
  const create = () => new choice.Client({}) as Client & { readonly hostIndex: number };
  const opened = [create(), create()];
  for (const client of opened) await new Promise((resolve) => choice.verify(sayStandby(client, true), resolve));
  expect(create().hostIndex).toBe(1);
});
