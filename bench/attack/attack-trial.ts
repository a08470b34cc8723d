import { randomUUID } from 'node:crypto';
import type { SeededKey } from '../../test/support/seed';
import { seedApiKey, seedShop } from '../../test/support/seed';
import { seedOracle } from '../../test/support/oracle';
import { startOwnPostgres } from '../../test/support/own-postgres';
import type { ServiceProcess } from '../../test/support/service-process';
import { killServiceProcesses, startServiceProcess } from '../../test/support/service-process';
import type { Sql } from '../../test/support/test-database';
import type { Trial } from '../trial';
import type { Attack } from './attack';
import { manyConnections, neverReading } from './classes/connections';
import { deadSecrets } from './classes/dead-secrets';
import { distinctDocuments, hostileDocuments } from './classes/documents';
import { abandonedOperations, heavyOperations } from './classes/heavy-operations';
import { largeAnswers } from './classes/large-answers';
import { slowReaders } from './classes/slow-readers';
import { slowStreams } from './classes/slow-streams';
import { unchargedOperations } from './classes/uncharged-operations';
import { heapMegabytes } from './judge';
import { isDead, runAttack } from './run-attack';

/** Attacks that need a process with little memory, and other shops beside it. Other attacks are only tests. */
const attacks: readonly Attack[] = [
  hostileDocuments,
  distinctDocuments,
  heavyOperations,
  abandonedOperations,
  deadSecrets,
  unchargedOperations,
  neverReading,
  slowReaders,
  slowStreams,
  manyConnections,
  largeAnswers,
];

const productsOfAttackedShop = { full: 20_000, short: 5_000 };
const unusedSearches = 2_000;

/** Sends every class of attack to a service with little memory while other shops send requests. */
export const trial: Trial = {
  what: 'hostile clients while other shops send requests',
  parts: attacks.map(({ name }) => name),
  async run({ parts, seed, isShort }, report) {
    const postgres = await startOwnPostgres();
    let service: ServiceProcess | undefined;
    try {
      const oracle = await seedOracle(postgres.sql);
      const shop = await seedAttackedShop(postgres.sql, productsOfAttackedShop[isShort ? 'short' : 'full']);
      // Half of them are never cached and query the database.
      const questions = oracle
        .addSearches(unusedSearches)
        .flatMap((search, turn) => [search, oracle.questions[turn % oracle.questions.length] ?? search]);
      for (const attack of attacks.filter(({ name }) => parts.includes(name))) {
        // One process faces all attacks, unless one of them breaks it.
        service ??= await startTarget(postgres.serviceUrl);
        const row = await runAttack(attack, { service, oracle, questions, shop, sql: postgres.sql, seed, isShort });
        report(row);
        if (row.isKept) continue;
        if (!isDead(service)) await service.end('SIGKILL');
        service = undefined;
      }
    } finally {
      await killServiceProcesses();
      await postgres.remove();
    }
  },
};

/** Little memory, V8's settings of the image, and a rate limit that allows an attacker as many requests as 25 keys. */
const startTarget = (databaseUrl: string): Promise<ServiceProcess> =>
  startServiceProcess(databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes} --max-semi-space-size=16 --v8-pool-size=1`,
    RATE_LIMIT_REQUESTS: '3000',
  });

/** The shop that the attacker is a customer of. */
export interface AttackedShop {
  readonly shopId: string;
  /** A new key with every scope. */
  createKey(): Promise<SeededKey>;
}

/**
 * A shop large enough that searches and sorted pages cost something. Written by set-based statements, as a
 * synchronization does.
 */
async function seedAttackedShop(sql: Sql, products: number): Promise<AttackedShop> {
  const shopId = await seedShop(sql, { domain: `attacked-${randomUUID().slice(0, 8)}.example` });
  await sql(
    `INSERT INTO products (shop_id, external_id, title, handle, vendor, product_type, tags, description_html, created_at, updated_at)
     SELECT $1, 'p-' || n, 'Vase no. ' || n || ' ' || md5(n::text), 'vase-' || n, 'Kiln ' || n % 50, 'Vases', ARRAY['clay', 't' || n % 20],
            repeat(md5(n::text), 10), timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-02-01Z'
     FROM generate_series(1, $2::int) n`,
    [shopId, products],
  );
  // The session's plans for foreign keys date from when the table was empty, and would read all products of the shop
  // for each variant.
  await sql('ANALYZE products');
  await sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, sku, price, inventory_quantity, position, created_at, updated_at)
     SELECT $1, id, 'v-' || n, 'Size ' || n, md5(id::text || n), (n * 10) || '.50', n, n, created_at, updated_at
     FROM products, generate_series(1, 3) n WHERE shop_id = $1`,
    [shopId],
  );
  await sql(
    `INSERT INTO orders (shop_id, external_id, order_number, customer_name, currency, total_price, items_count, tags, created_at, updated_at)
     SELECT $1, 'o-' || n, '#' || n, 'Customer ' || n, 'EUR', n || '.00', 1, ARRAY['t' || n % 20],
            timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-02-01Z'
     FROM generate_series(1, $2::int) n`,
    [shopId, Math.ceil(products / 2)],
  );
  await sql('ANALYZE');
  return { shopId, createKey: () => seedApiKey(sql, shopId) };
}
