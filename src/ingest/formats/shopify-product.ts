import type { SourceLocation } from '../values/import-error';
import { productStatuses, type ProductStatus, type VariantOption } from '../../catalog/model';
import { optionNumbers } from './record';

/** The same in every Shopify file that contains variants. */
export const optionColumns = {
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
} as const;

/** The URL of a published product. */
export const shopifyUrl = (domain: string, handle: string): string =>
  `https://${domain}/products/${encodeURIComponent(handle)}`;

export function toStatus(word: string, location: SourceLocation): ProductStatus {
  const text = word.toUpperCase();
  if (text === 'UNLISTED') return 'ACTIVE';
  const status = productStatuses.find((known) => known === text);
  if (status === undefined) throw location.refuse(word, 'active, draft, archived or unlisted');
  return status;
}

/** The options in a row's cells. Shopify writes a product without options as `Title` = `Default Title`. */
export function toOptions(
  values: readonly (string | null)[],
  names: readonly (string | null)[],
): readonly VariantOption[] {
  const options = values.flatMap((value, index) =>
    value === null ? [] : [{ name: names[index] ?? `Option${index + 1}`, value }],
  );
  const isDefault = options.length === 1 && options[0]?.value === 'Default Title';
  return isDefault ? [] : options;
}

export const optionsIn = (
  cells: { trimmed(column: keyof typeof optionColumns): string | null },
  names: readonly (string | null)[],
): readonly VariantOption[] =>
  toOptions(
    optionNumbers.map((number) => cells.trimmed(`option${number}Value`)),
    names,
  );

/**
 * The file has no ids, so a variant is identified by what distinguishes it: the same in every export, regardless of the
 * position of its row.
 */
export const toVariantId = (handle: string, options: readonly VariantOption[]): string =>
  variantIdWithin(`handle:${handle}`, options);

/** A variant's title is that of its options. */
export const titleOf = (options: readonly VariantOption[]): string =>
  options.length === 0 ? 'Default Title' : options.map(({ value }) => value).join(' / ');

export const variantIdWithin = (productId: string, options: readonly VariantOption[]): string =>
  toEscapedPath(productId, options.length === 0 ? [{ value: 'Default Title' }] : options);

/**
 * An id made of a product's id and option values. Slashes inside values are escaped, so that two variants never share
 * an id.
 */
export const toEscapedPath = (product: string, options: readonly { readonly value: string }[]): string =>
  [product, ...options.map(({ value }) => value.replace(/[%/]/g, (sign) => (sign === '/' ? '%2F' : '%25')))].join('/');
