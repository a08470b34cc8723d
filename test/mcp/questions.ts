/** The results of tools, as a program reads them. */
export interface Tools {
  /** The `data` of one call. */
  ask(name: string, given?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The objects of all pages. */
  list(name: string, given?: Readonly<Record<string, unknown>>): Promise<readonly Item[]>;
}

export type Item = Readonly<Record<string, unknown>>;

interface Sums {
  readonly currency: string;
  readonly count: number;
  readonly total_price: string;
  readonly financial_statuses: readonly {
    readonly status: string;
    readonly count: number;
    readonly total_price: string;
  }[];
}

interface OrderFigures {
  readonly totals: readonly Sums[];
  readonly buckets: readonly { readonly date: string; readonly currencies: readonly Sums[] }[];
}

interface Counts {
  readonly top: readonly { readonly value: string; readonly count: number }[];
}

interface ProductFigures {
  readonly count: number;
  readonly out_of_stock: number;
  readonly statuses: readonly { readonly status: string; readonly count: number }[];
  readonly vendors: Counts;
  readonly product_types: Counts;
  readonly tags: Counts;
  readonly price_bands: readonly { readonly min: string | null; readonly max: string | null; readonly count: number }[];
}

const count = (name: string, given?: Item) => async (tools: Tools) =>
  (await tools.list(name, { ...given, fields: ['id'] })).length;

const titles = (given: Item) => async (tools: Tools) =>
  (await tools.list('list_products', { ...given, fields: ['title'] })).map(({ title }) => title);

const ofProduct = (q: string, member: string) => async (tools: Tools) => {
  const [product] = await tools.list('list_products', { q, fields: ['title', member] });
  return product?.[member];
};

/** A product with its variants, found by part of its title. */
async function findProduct(tools: Tools, q: string): Promise<Item & { readonly variants: readonly Item[] }> {
  const [found] = await tools.list('list_products', { q, fields: ['id'] });
  return (await tools.ask('get_product', { product_id: found?.['id'] })) as Item & { variants: readonly Item[] };
}

const ofVariants =
  <Answer>(q: string, answer: (variants: readonly Item[]) => Answer) =>
  async (tools: Tools) =>
    answer((await findProduct(tools, q)).variants);

const ofFigures =
  <Answer>(answer: (figures: ProductFigures) => Answer, given: Item = {}) =>
  async (tools: Tools) =>
    answer((await tools.ask('get_product_figures', given)) as ProductFigures);

const ofOrders =
  <Answer>(given: Item, answer: (figures: OrderFigures) => Answer) =>
  async (tools: Tools) =>
    answer((await tools.ask('get_order_figures', given)) as OrderFigures);

const countOf = (counts: Counts, name: string): number | undefined =>
  counts.top.find(({ value }) => value === name)?.count;
const sumsOf = (currency: string) => (figures: OrderFigures) =>
  figures.totals.find((sums) => sums.currency === currency);

const best = <Value>(items: readonly Value[], score: (item: Value) => number): Value | undefined =>
  [...items].sort((left, right) => score(right) - score(left))[0];

const products = (tools: Tools, ...fields: string[]) => tools.list('list_products', { fields });
const orders = (tools: Tools, ...fields: string[]) => tools.list('list_orders', { fields });

/**
 * A merchant's questions about the demo shop, how a program with tools finds the answer, and the answer according to
 * SQL.
 */
export const questions: readonly (readonly [question: string, find: (tools: Tools) => Promise<unknown>, answer: unknown])[] = [
  ['What is my shop called?', async (tools) => ((await tools.ask('get_shop')) as Item)['name'], 'Nordlicht & Mori · ノルドリヒト'],
  ['Which platform is it on?', async (tools) => ((await tools.ask('get_shop')) as Item)['platform'], 'shopify'],
  ['In which currency do I sell?', async (tools) => ((await tools.ask('get_shop')) as Item)['currency'], 'EUR'],
  ['Which plan am I on?', async (tools) => ((await tools.ask('get_shop')) as Item)['plan'], 'business'],
  ['How many products do I have?', ofFigures((figures) => figures.count), 63],
  ['How many of them are on sale?', count('list_products', { status: 'ACTIVE' }), 60],
  ['Which products are drafts?', titles({ status: 'DRAFT' }), ['Advent Box 2026 (working title)', 'Workshop: Throwing your first bowl']],
  ['Which product did I archive?', titles({ status: 'ARCHIVED' }), ['Felt Slippers “Stube”']],
  ['How many products are out of stock?', ofFigures((figures) => figures.out_of_stock), 2],
  ['How many vendors do I buy from?', async (tools) => new Set((await products(tools, 'vendor')).map(({ vendor }) => vendor)).size, 15],
  ['Which vendor has most products?', ofFigures((figures) => figures.vendors.top[0]?.value), 'Nordlicht'],
  ['How many products are from Lumi Loom?', count('list_products', { vendor: 'Lumi Loom' }), 6],
  ['How many knives do I have?', count('list_products', { product_type: 'Knife' }), 2],
  ['What teas do I sell?', titles({ product_type: 'Tea' }), ['宇治抹茶 Uji Matcha “Asagiri”', 'Sencha “Hayate” はやて', 'Hōjicha Roasted Green Tea', 'Friesian Blend No. 7 Loose Tea', '東方美人 Oriental Beauty Oolong']],
  ['How many products are gifts?', ofFigures((figures) => countOf(figures.tags, 'gift')), 24],
  ['How many products are tagged winter?', count('list_products', { tag: 'winter' }), 4],
  ['Which bestsellers do I have?', titles({ tag: 'bestseller' }), ['Krähe House Espresso', 'Kiri Dripper, Hinoki Collar', 'Enamel Mug “Möwe”', 'Hand Grinder N°3', 'Friesian Blend No. 7 Loose Tea', 'Wool Blanket “Fjäll”', 'Scented Candle “Nach dem Regen” 🌧️']],
  ['How many enamel mugs are in stock?', ofProduct('Enamel Mug', 'total_stock'), 192],
  ['What does the hand grinder cost at least?', ofProduct('Hand Grinder', 'min_price'), '139.00'],
  ['What does the largest size of matcha cost?', ofProduct('Matcha', 'max_price'), '78.00'],
  ['How many variants has the espresso?', ofProduct('House Espresso', 'variant_count'), 6],
  ['Who makes the storm lantern?', ofProduct('storm lantern', 'vendor'), 'Ångström Ljus'],
  ['Of which type is the rucksack?', ofProduct('Rucksack', 'product_type'), 'Backpack'],
  ['Is there a mond lamp?', titles({ search: 'LÁMP mon' }), ['Paper Lamp “Mond” 月']],
  ['How many products have möwe in their name?', count('list_products', { q: 'MÖWE' }), 1],
  ['Which product is the dearest?', async (tools) => best(await products(tools, 'title', 'max_price'), ({ max_price: price }) => Number(price))?.['title'], 'Espresso Subscription Voucher'],
  ['Of which product is most in stock?', async (tools) => best(await products(tools, 'title', 'total_stock'), ({ total_stock: stock }) => Number(stock))?.['title'], 'Paper Filters 02, Unbleached (100)'],
  ['How many pieces are in stock in all?', async (tools) => (await products(tools, 'total_stock')).reduce((sum, { total_stock: stock }) => sum + Number(stock), 0), 4178],
  ['Which active products have fewer than ten pieces, but some?', async (tools) => (await tools.list('list_products', { status: 'ACTIVE', fields: ['title', 'total_stock'] })).filter(({ total_stock: stock }) => Number(stock) > 0 && Number(stock) < 10).map(({ title }) => title), ['Kyūsu Side-Handle Teapot', 'Donabe Rice Pot 土鍋', 'Picnic Rug, waxed back', 'Hinoki Bath Stool', 'Fermenting Crock 5 l']],
  ['How many products cost 100 or more at their lowest price?', ofFigures((figures) => figures.price_bands.filter(({ min }) => min !== null && Number(min) >= 100).reduce((sum, band) => sum + band.count, 0)), 5],
  ['Which sizes of wool socks are there?', ofVariants('Wool Socks', (variants) => variants.length), 6],
  ['Which color of dripper is the cheapest?', ofVariants('Kiri Dripper', (variants) => best(variants, ({ price }) => -Number(price))?.['price']), '38.00'],
  ['How many grinders in the first variant are in stock?', ofVariants('Hand Grinder', (variants) => variants[0]?.['inventory_quantity']), 18],
  ['What is the SKU of the moss bottle of half a litre?', ofVariants('Insulated Bottle', (variants) => variants.find(({ title }) => title === '0.5 l / Moss')?.['sku']), 'FJE-143-B'],
  ['How many collections do I have?', count('list_collections'), 11],
  ['Which collection is not published?', async (tools) => (await tools.list('list_collections', { published: false })).map(({ title }) => title), ['هدايا رمضان · Ramadan Gifts 2027']],
  ['How many products are in the collection Sale?', async (tools) => (await tools.list('list_collections', { fields: ['title', 'products_count'] })).find(({ title }) => title === 'Sale')?.['products_count'], 5],
  ['How many orders did I have?', count('list_orders'), 970],
  ['How many orders are paid?', count('list_orders', { financial_status: 'PAID' }), 812],
  ['How many orders wait to be sent?', count('list_orders', { fulfillment_status: 'UNFULFILLED' }), 69],
  ['What is the number of my first order?', async (tools) => ((await tools.ask('list_orders', { limit: 1 })) as Item[])[0]?.['order_number'], '#1001'],
  ['What did dated orders bring in euros?', ofOrders({}, (figures) => sumsOf('EUR')(figures)?.total_price), '64506.50'],
  ['In which currencies do people pay?', ofOrders({}, (figures) => figures.totals.map(({ currency }) => currency).sort()), ['CHF', 'EUR', 'GBP', 'JPY', 'KWD', 'SEK', 'USD']],
  ['How many orders in Swiss francs were there?', ofOrders({}, (figures) => sumsOf('CHF')(figures)?.count), 55],
  ['How many orders in francs were refunded?', ofOrders({}, (figures) => sumsOf('CHF')(figures)?.financial_statuses.find(({ status }) => status === 'REFUNDED')?.count), 4],
  ['What did dated orders bring in pounds?', ofOrders({}, (figures) => sumsOf('GBP')(figures)?.total_price), '5393.54'],
  ['How many orders in euros were refunded in part?', ofOrders({}, (figures) => sumsOf('EUR')(figures)?.financial_statuses.find(({ status }) => status === 'PARTIALLY_REFUNDED')?.count), 36],
  ['Which was the largest order in euros?', async (tools) => best((await orders(tools, 'order_number', 'currency', 'total_price')).filter(({ currency }) => currency === 'EUR'), ({ total_price: price }) => Number(price))?.['order_number'], '#1290'],
  ['How many orders have more than five items?', async (tools) => (await orders(tools, 'items_count')).filter(({ items_count: items }) => Number(items) > 5).length, 19],
  ['How many orders were there in yen, summed up over the months?', ofOrders({ interval: 'MONTH' }, ({ buckets }) => buckets.flatMap(({ currencies }) => currencies).filter(({ currency }) => currency === 'JPY').reduce((sum, sums) => sum + sums.count, 0)), 56],
]; // prettier-ignore
