import { ApiError } from '../../errors/api-error';
import type { Catalog } from '../catalog';
import { listResolver } from '../catalog';
import { isGiven, isUuid } from '../rows/shop-list';
import type { RawJson } from '../passthrough';
import { listProducts, readProductByHandle, readRawProduct } from './product';
import type { ProductRow } from './product';

const products = listResolver('products', listProducts);

interface ProductArguments {
  readonly id?: string | null;
  readonly handle?: string | null;
  /**
   * As JSON text with its variants, in the form of the REST API (../passthrough.ts); clients cannot
   * set it.
   */
  readonly isRaw?: boolean;
}

async function product(
  _: unknown,
  { id, handle, isRaw }: ProductArguments,
  catalog: Catalog,
): Promise<ProductRow | RawJson | null> {
  if (isGiven(id) === isGiven(handle)) {
    const found = isGiven(id) ? 'both' : 'neither';
    throw new ApiError('BAD_USER_INPUT', `product: expected either id or handle, got ${found}.`);
  }
  if (typeof handle === 'string') {
    const named = await readProductByHandle(catalog.rows, handle);
    return named && isRaw ? readRawProduct(catalog.rows, named.id, catalog.streamedProduct) : named;
  }
  if (typeof id !== 'string' || !isUuid(id)) return null;
  if (isRaw) return readRawProduct(catalog.rows, id.toLowerCase(), catalog.streamedProduct);
  return catalog.products.load(id);
}

export const productResolvers = {
  Query: {
    product,
    products,
  },
  Shop: { products },
  Product: {
    collections: async ({ memberships }: ProductRow, _: unknown, { byExternalId }: Catalog) => {
      const ids = new Set(memberships.map(({ collection_external_id: id }) => id));
      const found = await Promise.all([...ids].map((id) => byExternalId.collections.load(id)));
      return found.flat();
    },
    variants: (product: ProductRow, _: unknown, catalog: Catalog) => catalog.variantsOfProduct.load(product.id),
  },
};
