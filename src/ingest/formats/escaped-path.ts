/**
 * An id made of a product's id and option values. Slashes inside values are escaped, so that two variants never share
 * an id.
 */
export const toEscapedPath = (product: string, options: readonly { readonly value: string }[]): string =>
  [product, ...options.map(({ value }) => value.replace(/[%/]/g, (sign) => (sign === '/' ? '%2F' : '%25')))].join('/');
