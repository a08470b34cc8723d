import { toSections } from '../../src/catalog/figures/figure-segments';
import { maximumOrders } from '../../src/catalog/rows/figure-statement';
import { fc } from '../support/properties';
import { createRandom } from '../support/random';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

const service = useService({ rateLimit: 10_000 });

interface Sums {
  readonly count: number;
  readonly totalPrice: string;
  readonly totalTax: string;
  readonly totalShipping: string;
}
interface OrderSums extends Sums {
  readonly currency: string | null;
  readonly financialStatuses: readonly (Sums & { status: string | null })[];
  readonly fulfillmentStatuses: readonly (Sums & { status: string | null })[];
}
interface OrderFigures {
  readonly buckets: readonly { date: string; start: string; currencies: readonly OrderSums[] }[];
  readonly totals: readonly OrderSums[];
}

const amounts = 'count totalPrice totalTax totalShipping';
const sums = `currency ${amounts} financialStatuses { status ${amounts} } fulfillmentStatuses { status ${amounts} }`;
const orderDocument = `query ($interval: FigureInterval! = DAY, $timeZone: String! = "UTC", $range: DateTimeRange, $filter: OrderFilter) {
  shop { orderFigures(interval: $interval, timeZone: $timeZone, range: $range, filter: $filter) {
    buckets { date start currencies { ${sums} } } totals { ${sums} } } } }`;

async function askOrders(apiKey: string, variables: Record<string, unknown> = {}): Promise<OrderFigures> {
  const { data, errors } = await askGraphql<{ shop: { orderFigures: OrderFigures } }>(
    service.origin,
    apiKey,
    orderDocument,
    variables,
  );
  expect(errors).toBeUndefined();
  return data.shop.orderFigures;
}

interface Order {
  readonly created_at: string | null;
  readonly currency: string | null;
  readonly total_price: string | null;
  readonly total_tax: string | null;
  readonly total_shipping: string | null;
  readonly financial_status: string | null;
  readonly fulfillment_status: string | null;
}

/** Amounts in units of 0.0001; no generated amount has more decimals. */
const toUnits = (amount: string | null): bigint => {
  const [, sign, whole = '0', positions = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount ?? '0') ?? [];
  const units = BigInt(whole + positions.padEnd(4, '0'));
  return sign ? -units : units;
};

/** The expected figures of some orders, as comparable texts. */
function sumUp(orders: readonly Order[]): string {
  const total = (name: 'total_price' | 'total_tax' | 'total_shipping') =>
    orders.reduce((sum, order) => sum + toUnits(order[name]), 0n);
  return [orders.length, total('total_price'), total('total_tax'), total('total_shipping')].join(' ');
}

const asText = ({ count, totalPrice, totalTax, totalShipping }: Sums): string =>
  [count, toUnits(totalPrice), toUnits(totalTax), toUnits(totalShipping)].join(' ');

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | null): Map<string | null, Item[]> {
  const groups = new Map<string | null, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** A status that contains an address counts as none (D25). */
const toPublic = (status: string | null) => (status?.includes('@') ? null : status);

function expectSums(found: readonly OrderSums[], orders: readonly Order[]): void {
  const currencies = groupBy(orders, ({ currency }) => currency);
  expect(new Map(found.map((each) => [each.currency, asText(each)]))).toEqual(
    new Map([...currencies].map(([currency, own]) => [currency, sumUp(own)])),
  );
  const codes = found.map(({ currency }) => currency ?? '~');
  expect(codes).toEqual([...codes].sort());
  for (const { currency, financialStatuses, fulfillmentStatuses } of found) {
    for (const [statuses, column] of [
      [financialStatuses, 'financial_status'],
      [fulfillmentStatuses, 'fulfillment_status'],
    ] as const) {
      const own = groupBy(currencies.get(currency) ?? [], (order) => toPublic(order[column]));
      expect(new Map(statuses.map((each) => [each.status, asText(each)]))).toEqual(
        new Map([...own].map(([status, some]) => [status, sumUp(some)])),
      );
      expect(statuses.map(({ count }) => count)).toEqual(statuses.map(({ count }) => count).sort((a, b) => b - a));
    }
  }
}

/** Time zones whose clocks change at midnight, by half an hour, or twice a month, or skip a day. */
const zones = [
  ['UTC', '2026-01-01T00:00:00Z'],
  ['Europe/Berlin', '2026-03-20T00:00:00Z'],
  ['America/New_York', '2025-10-25T00:00:00Z'],
  ['America/Havana', '2025-10-25T00:00:00Z'],
  ['Africa/Cairo', '2024-04-20T00:00:00Z'],
  ['Asia/Beirut', '2024-03-25T00:00:00Z'],
  ['America/Sao_Paulo', '2018-10-30T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-01T00:00:00Z'],
  ['Africa/Casablanca', '2026-02-10T00:00:00Z'],
  ['Pacific/Apia', '2011-12-25T00:00:00Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z'],
  ['Etc/GMT-14', '2026-01-01T00:00:00Z'],
] as const;

describe.each(zones)('orders in %s', (timeZone, start) => {
  const random = createRandom(zones.findIndex(([name]) => name === timeZone) + 1);
  const days = 20;
  const first = Date.parse(start);
  let apiKey: string;
  let orders: Order[];

  beforeAll(async () => {
    const shop = await seedShop(service.sql);
    ({ apiKey } = await seedApiKey(service.sql, shop));
    const amount = () =>
      random.pick([
        null,
        '0',
        '19.90',
        '1200',
        '-3.5',
        '0.0001',
        '99999999999999999999.99',
        String(random.integer(1, 999)),
      ]);
    orders = random.list(150, () => ({
      created_at: random.chance(0.05)
        ? null
        : new Date(first + random.integer(0, days * 48) * 1_800_000 + random.pick([0, 0, -1, 1])).toISOString(),
      currency: random.pick([null, 'EUR', 'EUR', 'USD', 'JPY']),
      total_price: amount(),
      total_tax: amount(),
      total_shipping: amount(),
      financial_status: random.pick([null, 'PAID', 'PENDING', 'bob@example.com', 'Ünï']),
      fulfillment_status: random.pick([null, 'FULFILLED', 'OPEN', 'of eve@example.com']),
    }));
    for (const order of orders) await seedOrder(service.sql, shop, { ...order });
  });

  /** The first day of the bucket into which PostgreSQL puts each timestamp. */
  async function datesOf(interval: string, moments: readonly string[]): Promise<string[]> {
    const rows = await service.sql<{ date: string }>(
      `SELECT to_char(date_trunc($1, moment AT TIME ZONE $2), 'YYYY-MM-DD') AS date
         FROM unnest($3::timestamptz[]) WITH ORDINALITY AS m (moment, n) ORDER BY n`,
      [interval, timeZone, moments],
    );
    return rows.map(({ date }) => date);
  }

  const within = (from: string, to: string) => (order: Order) =>
    order.created_at !== null && order.created_at >= from && order.created_at < to;
  const [from, to] = [3 * 86_400_000 + 5_400_000, 17 * 86_400_000 + 1].map((time) =>
    new Date(first + time).toISOString(),
  ) as [string, string];
  const isOver1 = ({ total_price: price }: Order) => toUnits(price) >= 10_000n;
  /** What selects orders, and those that it selects. */
  const selections: readonly (readonly [object, (order: Order) => boolean])[] = [
    ...[{}, { range: {} }].map((all) => [all, () => true] as const),
    [{ range: { from } }, within(from, '~')],
    [{ range: { to } }, within('', to)],
    [{ range: { from, to } }, within(from, to)],
    [{ filter: { createdAt: { from } } }, within(from, '~')],
    [{ filter: { createdAt: { to } } }, within('', to)],
    [{ filter: { createdAt: { from, to } } }, within(from, to)],
    [{ filter: { createdAt: { from, to }, currency: 'EUR' } }, (o) => within(from, to)(o) && o.currency === 'EUR'],
    [{ filter: { createdAt: { from, to }, totalPrice: { min: '1' } } }, (o) => within(from, to)(o) && isOver1(o)],
    [{ filter: { createdAt: { from: to, to: from } } }, () => false],
    [{ filter: { createdAt: { from: to, to: from }, totalPrice: { min: '1' } } }, () => false],
    [{ filter: { currency: 'EUR' } }, ({ currency }) => currency === 'EUR'],
    [{ filter: { financialStatusIn: ['PAID', 'Ünï'] } }, (o) => ['PAID', 'Ünï'].includes(o.financial_status ?? '')],
    [{ filter: { financialStatus: 'bob@example.com' } }, () => false],
    [
      { filter: { fulfillmentStatus: 'OPEN', totalPrice: { min: '1' } } },
      (o) => o.fulfillment_status === 'OPEN' && isOver1(o),
    ],
    [{ filter: { ids: [] } }, () => false],
  ];

  it.each(['DAY', 'WEEK', 'MONTH'])('are in the %s that they were placed in, every amount exact', async (interval) => {
    for (const [selection, fits] of selections) {
      const { buckets, totals } = await askOrders(apiKey, { interval, timeZone, ...selection });
      const selected = orders.filter((order) => order.created_at !== null && fits(order));
      const dates = await datesOf(
        interval,
        selected.map(({ created_at }) => created_at as string),
      );
      const byDate = groupBy(
        selected.map((order, index) => ({ order, date: dates[index] as string })),
        ({ date }) => date,
      );
      expect([...byDate.keys()].filter((date) => !buckets.some((bucket) => bucket.date === date))).toEqual([]);
      for (const { date, currencies } of buckets) {
        expectSums(
          currencies,
          (byDate.get(date) ?? []).map(({ order }) => order),
        );
      }
      expectSums(totals, selected);
      // Each begins with the first millisecond of its day, without gaps.
      const starts = buckets.map(({ start: at }) => at);
      expect(await datesOf(interval, starts)).toEqual(buckets.map(({ date }) => date));
      const before = starts.map((at) => new Date(Date.parse(at) - 1).toISOString());
      const datesBefore = await datesOf(interval, before);
      expect(datesBefore.slice(1)).toEqual(buckets.slice(0, -1).map(({ date }) => date));
      expect(datesBefore[0] === undefined || datesBefore[0] < (buckets[0]?.date ?? '')).toBe(true);
    }
  });

  it.each([
    'fulfillmentStatuses { status count totalPrice } financialStatuses { status count totalPrice }',
    'financialStatuses { status count totalPrice }',
    'fulfillmentStatuses { status count totalPrice }',
    'count',
  ])('are the same by whichever statuses are selected: %s', async (selected) => {
    const ask = async (fields: string) => {
      const document = `query ($zone: String!) { shop { orderFigures(timeZone: $zone) { buckets { currencies { ${fields} } } totals { ${fields} } } } }`;
      const { data, errors } = await askGraphql(service.origin, apiKey, document, { zone: timeZone });
      expect(errors).toBeUndefined();
      return data;
    };
    const both = 'count financialStatuses { status count totalPrice } fulfillmentStatuses { status count totalPrice }';
    expect(await ask(both)).toMatchObject((await ask(selected)) as object);
  });

  it('are the same wherever a status is selected', async () => {
    const ask = async (query: string) => (await askGraphql(service.origin, apiKey, query)).data;
    const answers = [
      '{ orderFigures { totals { financialStatuses { status } } } }',
      '{ orderFigures { totals { ... { financialStatuses { status } } } } }',
      '{ orderFigures { totals { ... on OrderSums @include(if: true) { financialStatuses { status } } } } }',
      '{ orderFigures { ...a } } fragment a on OrderFigures { totals { ...b } } fragment b on OrderSums { financialStatuses { status } }',
      '{ orderFigures { totals { ...b } } orderFigures { totals { ...b } ...a } } fragment a on OrderFigures { totals { ...b } } fragment b on OrderSums { ...c } fragment c on OrderSums { financialStatuses { ...d } } fragment d on OrderStatusSums { status }',
    ].map(ask);
    const [first, ...others] = await Promise.all(answers);
    expect(JSON.stringify(first)).toContain('PAID');
    for (const other of others) expect(other).toEqual(first);
  });
});

describe('orderFigures', () => {
  let apiKey: string;
  let shop: string;
  beforeAll(async () => {
    shop = await seedShop(service.sql);
    ({ apiKey } = await seedApiKey(service.sql, shop));
  });
  const refusal = async (variables: Record<string, unknown>) => {
    const { data, errors } = await askGraphql<{ shop: unknown }>(service.origin, apiKey, orderDocument, variables);
    expect(data.shop).toEqual({ orderFigures: null });
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    return errors?.[0]?.message;
  };

  it('has no buckets without orders, unless the range has both bounds', async () => {
    expect(await askOrders(apiKey)).toEqual({ buckets: [], totals: [] });
    expect(await askOrders(apiKey, { range: { from: '2026-01-01T00:00:00Z' } })).toEqual({ buckets: [], totals: [] });
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' };
    expect((await askOrders(apiKey, { range })).buckets).toEqual([
      { date: '2026-01-01', start: '2026-01-01T00:00:00.000Z', currencies: [] },
      { date: '2026-01-02', start: '2026-01-02T00:00:00.000Z', currencies: [] },
    ]);
    expect(await askOrders(apiKey, { range: { from: range.to, to: range.from } })).toEqual({ buckets: [], totals: [] });
  });

  it('writes all sums of a currency with as many places as its longest amount, also after that is gone', async () => {
    const own = await seedShop(service.sql);
    const { apiKey: ownKey } = await seedApiKey(service.sql, own);
    const created_at = '2026-01-01T00:00:00Z';
    const common = { currency: 'EUR', financial_status: 'PAID', fulfillment_status: null, created_at };
    await seedOrder(service.sql, own, { ...common, total_price: '10', total_tax: '1.5', total_shipping: null });
    const long = { ...common, total_price: '0.125', total_tax: null, total_shipping: null };
    const id = await seedOrder(service.sql, own, long);
    const read = async () => {
      const [total] = (await askOrders(ownKey, { timeZone: 'Asia/Kathmandu' })).totals;
      return [total?.count, total?.totalPrice, total?.totalTax, total?.totalShipping];
    };
    expect(await read()).toEqual([2, '10.125', '1.500', '0.000']);
    await service.sql('UPDATE orders SET total_price = $2 WHERE id = $1', [id, '7']);
    expect(await read()).toEqual([2, '17.0', '1.5', '0.0']);
    await service.sql('DELETE FROM orders WHERE id = $1', [id]);
    expect(await read()).toEqual([1, '10.0', '1.5', '0.0']);
  });

  it.each(['', 'Mars/Olympus', '+01:00', '-05', 'Europe/Berlin; DROP TABLE orders', "UTC'", 'ü', 'x'.repeat(101)])(
    'refuses the time zone %j',
    async (timeZone) => {
      expect(await refusal({ timeZone })).toBe(
        `timeZone: expected an IANA time zone name, such as "Europe/Berlin" or "UTC", got ${JSON.stringify(timeZone.slice(0, 100))}.`,
      );
    },
  );

  it('counts the same orders by currency and by each status, while orders come, change and go', async () => {
    const own = await seedShop(service.sql);
    const { apiKey: ownKey } = await seedApiKey(service.sql, own);
    const insert = (count: number) =>
      service.sql(
        `INSERT INTO orders (shop_id, external_id, order_number, currency, financial_status, fulfillment_status, total_price, created_at)
         SELECT $1, gen_random_uuid(), '#', 'EUR', (ARRAY['PAID', 'PENDING'])[1 + n % 2], (ARRAY['OPEN', NULL])[1 + n % 2], '1',
                '2026-01-01T00:00:00Z'::timestamptz + n * interval '2 hours' FROM generate_series(1, $2::integer) AS n`,
        [own, count],
      );
    await insert(500);
    // One paid order always stays, so that no response is right merely because it is empty.
    const paid = { financial_status: 'PAID', total_price: '1', created_at: '2026-01-01T00:00:00Z' };
    await seedOrder(service.sql, own, { ...paid, currency: 'CHF' });
    let isWriting = true;
    const writes = (async () => {
      while (isWriting) {
        await insert(1);
        await service.sql(
          `UPDATE orders SET (currency, financial_status, fulfillment_status) = ('USD', fulfillment_status, financial_status)
            WHERE id = (SELECT id FROM orders WHERE shop_id = $1 AND currency = 'EUR' LIMIT 1)`,
          [own],
        );
        await service.sql(
          `DELETE FROM orders WHERE id = (SELECT id FROM orders WHERE shop_id = $1 AND currency <> 'CHF' LIMIT 1)`,
          [own],
        );
      }
    })();
    const wrong: unknown[] = [];
    try {
      for (let round = 0; round < 100; round += 1) {
        const filter = [{}, { totalPrice: { min: '1' } }, { financialStatus: 'PAID' }][round % 3];
        const { buckets, totals } = await askOrders(ownKey, { filter });
        const sums = [...totals, ...buckets.flatMap(({ currencies }) => currencies)];
        for (const { count, financialStatuses, fulfillmentStatuses } of sums) {
          const counts = [financialStatuses, fulfillmentStatuses].map((list) =>
            list.reduce((sum, each) => sum + each.count, 0),
          );
          if (counts.some((each) => each !== count)) wrong.push({ round, count, counts });
        }
        const ofBuckets = buckets.flatMap(({ currencies }) => currencies).reduce((sum, { count }) => sum + count, 0);
        const ofAll = totals.reduce((sum, { count }) => sum + count, 0);
        if (ofBuckets !== ofAll || ofAll === 0) wrong.push({ round, ofBuckets, totals });
      }
    } finally {
      isWriting = false;
      await writes;
    }
    expect(wrong).toEqual([]);
  });

  it('is read from rows of all existing lengths, and no others', async () => {
    const [slots] = await service.sql<{ hours: number[] }>(
      'SELECT array_agg(DISTINCT hours ORDER BY hours DESC) AS hours FROM order_figures',
    );
    const bounds = ['2025-01-01T01:30:00.000Z', '2026-03-02T13:30:00.000Z', '2026-04-01T17:30:00.000Z'];
    const sections = (['DAY', 'WEEK', 'MONTH'] as const).map((each) => toSections(each, bounds));
    const lengths = new Set(
      sections.flatMap((each) => [each.hours, ...each.segments.flat().map(({ hours }) => hours)]),
    );
    expect([...lengths].sort((a, b) => b - a)).toEqual([...(slots?.hours ?? []), 0]);
  });

  it('covers up to 400 buckets and no more', async () => {
    const from = '2025-01-01T00:00:00Z';
    const { buckets } = await askOrders(apiKey, { range: { from, to: '2026-02-05T00:00:00Z' } });
    expect(buckets).toHaveLength(400);
    expect(await refusal({ range: { from, to: '2026-02-05T00:00:00.001Z' } })).toBe(
      'range: expected at most 400 buckets with interval DAY, got 401. Use a shorter range or a longer interval.',
    );
    expect(
      await refusal({ range: { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' }, interval: 'MONTH' }),
    ).toBe(
      'range: expected at most 400 buckets with interval MONTH, got 119988. Use a shorter range or a longer interval.',
    );
  });

  describe('of more orders than are read one by one', () => {
    let key: string;
    const range = { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    const count = async (filter: Record<string, unknown>) =>
      (await askOrders(key, { interval: 'MONTH', range, filter })).totals.map(({ count }) => count);

    beforeAll(async () => {
      const large = await seedShop(service.sql);
      ({ apiKey: key } = await seedApiKey(service.sql, large));
      await service.sql(
        `INSERT INTO orders (shop_id, external_id, order_number, currency, total_price, tags, created_at, updated_at)
         SELECT $1, n, '#' || n, 'EUR', n % 1000, ARRAY['gift'], '2025-01-01Z'::timestamptz + n * interval '1 minute',
                '2026-01-01Z'::timestamptz + n * interval '1 second'
           FROM generate_series(0, $2::integer) AS n`,
        [large, maximumOrders],
      );
    });

    it.each([
      [{ orderNumberIn: ['#7', '#100000', 'none'] }, [2]],
      [{ externalIds: ['7', '100000', 'none'] }, [2]],
      [{ ids: ['ffffffff-ffff-ffff-ffff-ffffffffffff'] }, []],
      [{ totalPrice: { min: '999' }, tag: 'gift' }, [100]],
      [{ updatedAt: { to: '2026-01-01T00:00:10Z' } }, [10]],
      [{ createdAt: { from: '2025-01-01T00:01:00Z' }, tag: 'gift' }, [100_000]],
      [{ currency: 'EUR' }, [100_001]],
      [{ totalPrice: {}, updatedAt: { from: null }, tagsAll: [] }, [100_001]],
    ])('counts those of %j', async (filter, expected) => {
      expect(await count(filter)).toEqual(expected);
    });

    it.each([{ tag: 'gift' }, { tagsAny: ['none'] }, { totalPrice: { min: '0' } }, { tag: 'gift', currency: 'EUR' }])(
      'refuses %j',
      async (filter) => {
        const { data, errors } = await askGraphql<{ shop: unknown }>(service.origin, key, orderDocument, {
          interval: 'MONTH',
          range,
          filter,
        });
        expect(data.shop).toEqual({ orderFigures: null });
        expect(errors).toMatchObject([
          {
            extensions: { code: 'BAD_USER_INPUT' },
            message:
              'range: expected at most 100000 orders for sales by product and for filters other than status, currency and createdAt, got more. Use a shorter range.',
          },
        ]);
      },
    );
  });

  it('has totals of any range, and a sum or a refusal for any buckets, whatever the dates, zone and interval', async () => {
    const own = await seedShop(service.sql);
    const { apiKey: ownKey } = await seedApiKey(service.sql, own);
    const extremes =
      '0001-01-01T00:00:00.000Z 0001-01-01T00:00:00.001Z 0099-06-01T00:00:00.000Z 1582-10-10T00:00:00.000Z';
    const moments = [
      ...`${extremes} 1899-12-31T23:59:59.999Z 1970-01-01T00:00:00.000Z 9999-12-01T00:00:00.000Z 9999-12-30T12:00:00.000Z`.split(
        ' ',
      ),
      '9999-12-31T23:59:59.998Z',
      ...Array.from(
        { length: 12 },
        (_, month) => `2025-${String(month + 1).padStart(2, '0')}-15T0${month % 10}:30:00.000Z`,
      ),
      new Date(Date.now() + 86_400_000).toISOString(),
    ];
    for (const created_at of moments)
      await seedOrder(service.sql, own, { created_at, currency: 'EUR', tags: ['gift'] });
    const [row] = await service.sql<{ now: string }>(
      'SELECT (data_version / 1000)::text AS now FROM shops WHERE shop_id = $1',
      [own],
    );
    const lastKnown = moments
      .filter((moment) => Date.parse(moment) <= Number(row?.now))
      .sort()
      .at(-1) as string;
    const zone = fc.constantFrom(
      ...zones.map(([name]) => name),
      'Pacific/Kiritimati',
      'Etc/GMT+12',
      'America/New_York',
    );
    const near = fc
      .tuple(fc.constantFrom(...moments, '9999-12-31T23:59:59.999Z'), fc.integer({ min: -4e7, max: 4e7 }))
      .map(([moment, offset]) => {
        const time = Math.min(
          Math.max(Date.parse(moment) + offset, Date.parse('0001-01-01T00:00:00Z')),
          253402300799999,
        );
        return new Date(time).toISOString();
      });
    const bound = fc.option(near, { nil: null });
    const some = fc.record({
      range: fc.option(fc.record({ from: bound, to: bound }), { nil: null }),
      timeZone: zone,
      interval: fc.constantFrom('DAY', 'WEEK', 'MONTH'),
      // Computed from orders, and from rollups.
      filter: fc.constantFrom(null, { tag: 'gift' }, { currency: 'EUR' }),
    });
    const fields = { buckets: 'buckets { date start currencies { count } }', totals: 'totals { count }' };
    const ask = (variables: object, selected: string) =>
      askGraphql<{ orderFigures: OrderFigures | null }>(
        service.origin,
        ownKey,
        `query ($interval: FigureInterval!, $timeZone: String!, $range: DateTimeRange, $filter: OrderFilter) {
           orderFigures(interval: $interval, timeZone: $timeZone, range: $range, filter: $filter) { ${selected} } }`,
        { ...variables },
      );
    await fc.assert(
      fc.asyncProperty(some, async (variables) => {
        const from = variables.range?.from ?? '0001';
        const to = variables.range?.to;
        const counted = moments.filter((moment) => moment >= from && (to ? moment < to : moment <= lastKnown));
        const totals = counted.length === 0 ? [] : [{ count: counted.length }];
        const alone = await ask(variables, fields.totals);
        expect(alone.errors).toBeUndefined();
        expect(alone.data.orderFigures).toEqual({ totals });
        const both = await ask(variables, `${fields.buckets} ${fields.totals}`);
        if (both.errors !== undefined) {
          // Only an explicit start can be too far away.
          expect(both.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
          expect(both.errors[0]?.message).toMatch(/^range: expected at most 400 buckets/);
          expect(variables.range?.from).toBeTruthy();
          return;
        }
        const { buckets } = both.data.orderFigures as OrderFigures;
        expect(both.data.orderFigures?.totals).toEqual(totals);
        expect(buckets.length).toBeLessThanOrEqual(400);
        for (const { date } of buckets) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
        const first = buckets.length === 400 && !variables.range?.from ? (buckets[0]?.start ?? '') : '';
        const shown = counted.filter((moment) => moment >= first);
        const sum = buckets.flatMap(({ currencies }) => currencies).reduce((total, { count }) => total + count, 0);
        expect(sum).toBe(shown.length);
        const starts = buckets.map(({ start }) => start);
        for (const [index, { currencies }] of buckets.entries()) {
          const own = shown.filter((moment) => moment >= (starts[index] ?? '') && moment < (starts[index + 1] ?? '~'));
          expect(currencies.map(({ count }) => count)).toEqual(own.length === 0 ? [] : [own.length]);
        }
      }),
      { numRuns: 120 },
    );
  });

  it.each([
    ['', '', 0],
    ['below the shop', 'shop', 1],
  ])('has a price, which extensions.cost reports %s', async (_where, parent, ofParent) => {
    const fields = '{ orderFigures { totals { count } } productFigures { vendors { rest } outOfStock } }';
    const document = parent === '' ? fields : `{ ${parent} ${fields} }`;
    const { extensions } = await askGraphql(service.origin, apiKey, document, {}, { 'X-GraphQL-Cost': '1' });
    expect(extensions?.['cost']).toMatchObject({
      requested: ofParent + (200 + 1 + 11) + 1 + (50 + 1) + 50,
      mostExpensive: { path: [parent, 'orderFigures'].filter((name) => name !== '').join('.') },
    });
  });
});

describe('productFigures', () => {
  const random = createRandom(7);
  const products = random.list(120, (index) => ({
    created_at: new Date(Date.parse('2026-01-01T00:00:00Z') + random.integer(0, 40) * 1_000).toISOString(),
    status: random.pick(['ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'] as const),
    vendor: random.pick([null, 'Ä', 'B', 'b', 'C & D', '', 'v'.repeat(1_000), 'v'.repeat(999)]),
    product_type: random.pick([null, 'Mug', 'Cup']),
    tags: random.list(random.integer(0, 4), () =>
      random.pick(['x', 'y', 'z', 'Z', 't'.repeat(1_000), 't'.repeat(999)]),
    ),
    deleted_at: random.chance(0.1) ? '2026-03-01T00:00:00Z' : null,
    external_id: `p-${index}`,
    prices: random.list(random.integer(0, 2), () =>
      random.pick([
        '0',
        '0.99',
        '1',
        '1.00',
        '1.99',
        '2',
        '4.999',
        '5',
        '19.90',
        '999999.99',
        '1000000',
        '5000000',
        '-3',
      ]),
    ),
    stock: random.pick([null, 0, 3, -2]),
    /** Of the second and later variants. */
    otherStock: random.pick([null, 0, 2, 3]),
  }));
  let shop: string;
  let apiKey: string;
  let live: ((typeof products)[number] & { id: string })[];

  beforeAll(async () => {
    shop = await seedShop(service.sql);
    ({ apiKey } = await seedApiKey(service.sql, shop));
    const found: typeof live = [];
    for (const product of products) {
      const { prices, stock, otherStock, ...columns } = product;
      const id = await seedProduct(service.sql, shop, columns);
      for (const [index, price] of prices.entries())
        await seedVariant(service.sql, shop, id, { price, inventory_quantity: index === 0 ? stock : otherStock });
      found.push({ ...product, id });
    }
    const position = (product: (typeof live)[number]) => product.created_at + product.id;
    live = found.filter(({ deleted_at }) => deleted_at === null).sort((a, b) => (position(a) < position(b) ? -1 : 1));
  });

  const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];

  function expected(visible: typeof live, first: number) {
    const countBy = (values: readonly (string | null)[]) => {
      const counts = [...groupBy(values, (value) => value)].map(([value, own]) => ({ value, count: own.length }));
      const order = (a: string | null, b: string | null) => Buffer.compare(Buffer.from(a ?? ''), Buffer.from(b ?? ''));
      return counts.sort((a, b) => b.count - a.count || order(a.value, b.value));
    };
    const values = (all: readonly (string | null)[]) => {
      const counts = countBy(all.filter((value) => value !== null));
      return {
        top: counts.slice(0, first),
        rest: counts.slice(first).reduce((sum, { count }) => sum + count, 0),
        none: all.filter((value) => value === null).length,
      };
    };
    const lowest = visible.map(({ prices }) => (prices.length > 0 ? Math.min(...prices.map(Number)) : null));
    const band = (min: number | undefined, max: number | undefined) => ({
      min: min === undefined ? null : String(min),
      max: max === undefined ? null : String(max),
      count: lowest.filter((price) => price !== null && price >= (min ?? -Infinity) && price < (max ?? Infinity))
        .length,
    });
    const quantities = ({ prices, stock, otherStock }: (typeof live)[number]) =>
      prices.map((_, index) => (index === 0 ? stock : otherStock));
    const empty = visible.filter((each) => quantities(each).reduce<number>((sum, own) => sum + (own ?? 0), 0) <= 0);
    const isCounted = (each: (typeof live)[number]) => each.prices.length > 0 && !quantities(each).includes(null);
    return {
      count: visible.length,
      statuses: countBy(visible.map(({ status }) => status)).map(({ value, count }) => ({ status: value, count })),
      vendors: values(visible.map(({ vendor }) => vendor)),
      productTypes: values(visible.map(({ product_type }) => product_type)),
      tags: values(visible.flatMap(({ tags }) => (tags.length === 0 ? [null] : [...new Set(tags)]))),
      outOfStock: empty.filter(isCounted).length,
      stockUnknown: empty.filter((each) => !isCounted(each)).length,
      priceBands: [
        ...[undefined, ...bounds].map((min, index) => band(min, bounds[index])),
        { min: null, max: null, count: lowest.filter((price) => price === null).length },
      ].filter(({ count }) => count > 0),
    };
  }

  const document = `query ($first: Int! = 10) { shop { productFigures {
    count statuses { status count } outOfStock stockUnknown priceBands { min max count }
    vendors(first: $first) { top { value count } rest none } productTypes(first: $first) { top { value count } rest none }
    tags(first: $first) { top { value count } rest none } } } }`;

  it.each([null, 0, 1, 5, 40, 90, 1_000])('counts what is visible under the limit %s', async (limit) => {
    await service.sql('UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [shop, limit]);
    const visible = live.slice(0, limit ?? Infinity);
    for (const first of [0, 1, 3, 200]) {
      const { data, errors } = await askGraphql<{ shop: { productFigures: unknown } }>(
        service.origin,
        apiKey,
        document,
        { first },
      );
      expect(errors).toBeUndefined();
      expect(data.shop.productFigures).toEqual(expected(visible, first));
    }
  });

  it.each([-1, 201])('refuses %s values', async (first) => {
    const { errors } = await askGraphql(service.origin, apiKey, document, { first });
    expect(new Set(errors?.map(({ message }) => message))).toEqual(
      new Set([`first: expected an integer from 0 to 200, got ${first}.`]),
    );
  });
});
