/** An id made of a product's and of option values. Slashes inside of values are escaped, so that two variants never share an id. */
export const toEscapedPath = (product: string, options: readonly { readonly value: string }[]): string =>
  [product, ...options.map(({ value }) => value.replace(/[%/]/g, (sign) => (sign === '/' ? '%2F' : '%25')))].join('/');
