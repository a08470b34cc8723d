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

/** Wix's header. Collections, ribbons and what people write on a product when they buy it are not read. */
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
