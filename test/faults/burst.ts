import { ask } from '../support/load';
import type { Recorded } from '../support/load';
import { findHeaderProblems } from '../support/check-answer';
import type { ServiceProcess } from '../support/service-process';
import { seedApiKey, seedShop } from '../support/seed';
import type { Sql } from '../support/test-database';

export interface Burst {
  readonly admitted: number;
  readonly refused: number;
  /** What is wrong with any of the responses. */
  readonly problems: readonly string[];
  readonly slowestMilliseconds: number;
}

/** Sends that many calls with a new key at once, spread over the processes, and checks every response. */
export async function runBurst(sql: Sql, services: readonly ServiceProcess[], calls: number): Promise<Burst> {
  const shopId = await seedShop(sql);
  const { apiKey } = await seedApiKey(sql, shopId);
  const records = await Promise.all(
    Array.from({ length: calls }, (_, index) =>
      ask(services[index % services.length]?.origin ?? '', { apiKey, target: '/v1/shop' }),
    ),
  );
  const count = (status: number) => records.filter((record) => record.status === status).length;
  return {
    admitted: count(200),
    refused: count(429),
    problems: [...new Set(records.flatMap((record) => findProblems(record, shopId)))],
    slowestMilliseconds: Math.round(Math.max(...records.map(({ milliseconds }) => milliseconds))),
  };
}

function findProblems(record: Recorded, shopId: string): string[] {
  const { status, headers, text } = record;
  if (status === 200) {
    const { data } = JSON.parse(text) as { data: { id: string } };
    return [...findHeaderProblems(record), ...(data.id === shopId ? [] : [`another shop: ${text}`])];
  }
  if (status !== 429) return [`status ${status} ${record.failure ?? text}`];
  const { error } = JSON.parse(text) as { error?: { code?: string } };
  const wait = Number(headers['retry-after']);
  return [
    ...findHeaderProblems(record),
    ...(error?.code === 'RATE_LIMITED' ? [] : [`no envelope: ${text}`]),
    ...(wait >= 1 && wait <= 60 ? [] : [`Retry-After is ${headers['retry-after']}`]),
    ...(headers['ratelimit-remaining'] === '0'
      ? []
      : [`refused with ${headers['ratelimit-remaining'] as string} left`]),
  ];
}
