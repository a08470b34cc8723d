import type { GraphQLResolveInfo } from 'graphql';
import { Kind } from 'graphql';
import { usageDays } from '../auth/usage-counter';
import { ApiError } from '../errors/api-error';
import { connect } from '../relay/connection';
import type { Catalog } from './catalog';
import { connectionResolvers, listResolver, toBinding } from './catalog';
import { changeResolvers } from './change/change-resolvers';
import { listCollections, listMembers } from './collection/collection';
import { figuresResolvers } from './figures/figures-resolvers';
import type { StoredLineItem } from './model';
import { nodeResolvers } from './node/node-resolvers';
import { listOrders } from './order/order';
import { productResolvers } from './product/product-resolvers';
import type { ProductRow } from './product/product';
import type { Resolvers } from './schema-types';
import { listVariants, listVariantsOfProduct } from './variant/variant';
import type { VariantRow } from './variant/variant';

const shopResolvers: Resolvers = {
  Query: {
    // The request's one read of its key has returned the shop too.
    shop: (_, _arguments, { readShop }) => readShop(),
  },
  Shop: {
    grantedScopes: (_shop, _arguments, { principal }) => principal.scopes,
  },
};

const variants = listResolver('all variants', listVariants);

const variantResolvers: Resolvers = {
  Query: {
    variant: (_, { id }, catalog) => catalog.variants.load(id),
    variants,
  },
  Shop: { variants },
  Product: {
    variantConnection: ({ id, variantCount }, given, catalog) => {
      const binding = toBinding(catalog.principal.shop.id, 'variants', { product: id }, []);
      const list = listVariantsOfProduct(catalog.rows, catalog.variantPages, id, variantCount);
      return connect(list, given, catalog.cursors, binding);
    },
  },
  Variant: {
    image: async ({ imageUrl, productId }, _, catalog) => {
      if (!imageUrl) return null;
      const images = (await catalog.products.load(productId))?.images ?? [];
      return images.find(({ url }) => url === imageUrl) ?? { url: imageUrl, alt_text: null, position: null };
    },
    product: ({ productId: id }, _, catalog, info) =>
      selectsIdAlone(info) ? ({ id } as ProductRow) : catalog.products.load(id),
  },
};

/** If so, nothing has to be read: the product of a visible variant is visible (D8). */
const selectsIdAlone = ({ fieldNodes }: GraphQLResolveInfo): boolean =>
  fieldNodes.every(({ selectionSet }) =>
    selectionSet?.selections.every((it) => it.kind === Kind.FIELD && ['id', '__typename'].includes(it.name.value)),
  );

const collections = listResolver('collections', listCollections);

const collectionResolvers: Resolvers = {
  Query: {
    collection: (_, { id }, catalog) => catalog.collections.load(id),
    collections,
  },
  Shop: { collections },
  Collection: {
    products: ({ id }, given, catalog) => {
      const binding = toBinding(catalog.principal.shop.id, 'products', { collection: id }, []);
      return connect(listMembers(catalog.rows, catalog.memberPages, id), given, catalog.cursors, binding);
    },
  },
};

const orders = listResolver('orders', listOrders);

const orderResolvers: Resolvers = {
  Query: {
    order: (_, { id }, catalog) => catalog.orders.load(id),
    orders,
  },
  Shop: { orders },
};

type Sold = Pick<StoredLineItem, 'product_external_id' | 'variant_external_id' | 'sku'>;

/** The visible product or variant of a line: by its external ids (empty ones are none), or else by the SKU. */
function findSold(sold: Sold, { byExternalId, bySku, products }: Catalog) {
  const [productId, variantId, sku] = [
    sold.product_external_id || null,
    sold.variant_external_id || null,
    sold.sku || null,
  ];
  const findProduct = async (): Promise<ProductRow | null> =>
    productId === null ? null : ((await byExternalId.products.load(productId))[0] ?? null);
  const variant = async (): Promise<VariantRow | null> => {
    if (variantId === null) return productId === null && sku !== null ? ((await bySku.load(sku))[0] ?? null) : null;
    if (productId === null) return (await byExternalId.variants.load(variantId))[0] ?? null;
    const own = await findProduct();
    return own && ((await byExternalId.variantsOfProducts.load(`${own.id}${variantId}`))[0] ?? null);
  };
  const product = async (): Promise<ProductRow | null> => {
    if (productId !== null) return findProduct();
    const found = await variant();
    return found && products.load(found.productId);
  };
  return { product, variant };
}

/** Objects stored inside a row have the names of columns. */
const listResolvers: Resolvers = {
  ProductSales: {
    product: ({ externalId, sku }, _, catalog) =>
      findSold({ product_external_id: externalId, variant_external_id: null, sku }, catalog).product(),
  },
  Image: { altText: ({ alt_text: text }) => text },
  Membership: { collectionExternalId: ({ collection_external_id: id }) => id },
  LineItem: {
    unitPrice: ({ unit_price: price }) => price,
    productExternalId: ({ product_external_id: id }) => id,
    variantExternalId: ({ variant_external_id: id }) => id,
    product: (line, _, catalog) => findSold(line, catalog).product(),
    variant: (line, _, catalog) => findSold(line, catalog).variant(),
  },
};

const usageResolvers: Resolvers = {
  Shop: {
    usage: (_, { days }, { rows, versions }) => {
      if (days < 1 || days > usageDays) {
        throw new ApiError('BAD_USER_INPUT', `days: expected an integer from 1 to ${usageDays}, got ${days}.`);
      }
      // It changes without the shop's data, so no response with it is cached.
      versions.add('usage');
      return rows.figures.keyUsage(days);
    },
  },
};

/**
 * Every resolver of schema.graphql that does more than return the row's own member. The types are generated from the
 * schema, so a resolver for an unknown field, or with other arguments or results, does not compile.
 */
export const resolvers: readonly Resolvers[] = [
  shopResolvers,
  productResolvers,
  variantResolvers,
  collectionResolvers,
  orderResolvers,
  listResolvers,
  connectionResolvers,
  nodeResolvers,
  changeResolvers,
  figuresResolvers,
  usageResolvers,
];
