import type { ColumnNames } from './csv-columns';

export const wixOptions = [1, 2, 3, 4, 5, 6] as const;
type WixOption = (typeof wixOptions)[number];

export type WixColumn =
  | 'handleId'
  | 'fieldType'
  | 'name'
  | 'description'
  | 'image'
  | 'sku'
  | 'price'
  | 'surcharge'
  | 'visible'
  | 'discountMode'
  | 'discountValue'
  | 'inventory'
  | 'weight'
  | 'cost'
  | 'brand'
  | `option${WixOption}Name`
  | `option${WixOption}Type`
  | `option${WixOption}Value`;

const optionColumns = Object.fromEntries(
  wixOptions.flatMap((number) => [
    [`option${number}Name`, [`productOptionName${number}`]],
    [`option${number}Type`, [`productOptionType${number}`]],
    [`option${number}Value`, [`productOptionDescription${number}`]],
  ]),
) as unknown as ColumnNames<`option${WixOption}${'Name' | 'Type' | 'Value'}`>;

const carried: Readonly<Record<Exclude<WixColumn, `option${WixOption}${string}`>, string>> = {
  handleId: 'external_id',
  fieldType: 'which rows are variants',
  name: 'title',
  description: 'description_html',
  image: 'image_url: the first',
  sku: 'variants.sku',
  price: 'variants.price',
  surcharge: 'variants.price: added',
  visible: 'status, published_at',
  discountMode: 'variants.price, variants.compare_at_price',
  discountValue: 'variants.price, variants.compare_at_price',
  inventory: 'variants.inventory_quantity',
  weight: 'variants.weight',
  cost: 'variants.cost_price',
  brand: 'vendor',
};

/** The field that a column becomes. */
export const carriedByWix = (column: string): string =>
  (carried as Readonly<Record<string, string>>)[column] ?? 'variants.options';

/** Wix's header. Collections, ribbons and custom text fields that buyers fill in are not read. */
export const wixColumns: ColumnNames<WixColumn> = {
  handleId: ['handleId'],
  fieldType: ['fieldType'],
  name: ['name'],
  description: ['description'],
  image: ['productImageUrl'],
  sku: ['sku'],
  price: ['price'],
  surcharge: ['surcharge'],
  visible: ['visible'],
  discountMode: ['discountMode'],
  discountValue: ['discountValue'],
  inventory: ['inventory'],
  weight: ['weight'],
  cost: ['cost'],
  brand: ['brand'],
  ...optionColumns,
};
