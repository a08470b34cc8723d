import type { Place } from '../import-error';
import {
  optionNumbers,
  type AbsentFromProducts,
  type OptionCount,
  type ProductValues,
  type VariantValues,
} from '../record';
import type { CsvColumns } from './csv-columns';
import type { ProductColumn } from './shopify-product-columns';

/** The columns that must be present for a file to provide a member. */
const productMembers: readonly (readonly [ProductColumn, keyof ProductValues])[] = [
  ['body', 'description_html'],
  ['vendor', 'vendor'],
  ['type', 'product_type'],
  ['tags', 'tags'],
  ['status', 'status'],
  ['published', 'published_at'],
  ['imageSource', 'image_url'],
  ['seoTitle', 'seo_title'],
  ['seoDescription', 'seo_description'],
];

const variantMembers: readonly (readonly [ProductColumn, keyof VariantValues])[] = [
  ['sku', 'sku'],
  ['barcode', 'barcode'],
  ['price', 'price'],
  ['compareAtPrice', 'compare_at_price'],
  ['cost', 'cost_price'],
  ['quantity', 'inventory_quantity'],
  ['grams', 'weight'],
  ['grams', 'weight_unit'],
  ['variantImage', 'image_url'],
];

/**
 * The members that a products file does not provide; undefined when it provides all.
 * @throws ImportError when there is a gap in its option columns
 */
export function toAbsent(columns: CsvColumns<ProductColumn>, header: Place): AbsentFromProducts | undefined {
  const lacks = ([column]: readonly [ProductColumn, unknown]): boolean => !columns.has(column);
  const optionValues = countOptionValues(columns, header);
  const variant = new Set(variantMembers.filter(lacks).map(([, member]) => member));
  const hasNames = optionNumbers.slice(0, optionValues).every((number) => columns.has(`option${number}Name`));
  if (optionValues === 0 || !hasNames) variant.add('options');
  // The title of a variant is its option values, and variants that cannot be distinguished have no order.
  if (optionValues < 3) variant.add('title');
  if (optionValues === 0) variant.add('position');
  const product = new Set(productMembers.filter(lacks).map(([, member]) => member));
  const weightUnit = columns.has('grams') && !columns.has('weightUnit');
  const isComplete = product.size === 0 && variant.size === 0 && !weightUnit && optionValues === 3;
  return isComplete ? undefined : { product, variant, weightUnit, optionValues };
}

function countOptionValues(columns: CsvColumns<ProductColumn>, header: Place): OptionCount {
  const [first = 4, ...others] = optionNumbers.filter((number) => !columns.has(`option${number}Value`));
  const behind = optionNumbers.find((number) => number > first && !others.includes(number));
  if (behind === undefined) return (first - 1) as OptionCount;
  throw header.fault(`expected a column "Option${first} Value" beside "Option${behind} Value"`);
}
