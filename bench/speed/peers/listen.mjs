/** The arguments that bench/speed/bench.mjs passes to every peer. */
export const databaseUrl = process.env.DATABASE_URL;
export const shopId = process.env.SHOP_ID;

/** Reports to the parent where it listens, and ends with it. */
export function announce(port) {
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
  process.on('SIGTERM', () => process.exit(0));
}
