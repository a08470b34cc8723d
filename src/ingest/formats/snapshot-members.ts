/** Members that are imported, or that the specification defines and the service generates (id, derived values). */

export const shopMembers: ReadonlySet<string> = new Set([
  'type', 'name', 'platform', 'currency', 'plan_status', 'created_at', 'last_sync_at',
  'id', 'domain', 'product_count', 'granted_scopes',
  'export', 'types', 'version', 'changes_cursor',
]); // prettier-ignore

export const productMembers: ReadonlySet<string> = new Set([
  'type', 'external_id', 'title', 'handle', 'status', 'vendor', 'product_type', 'tags', 'description_html',
  'seo_title', 'seo_description', 'image_url', 'published_at', 'created_at', 'updated_at', 'variants', 'deleted',
  'id', 'variant_count', 'min_price', 'max_price', 'total_stock',
]); // prettier-ignore

export const variantMembers: ReadonlySet<string> = new Set([
  'external_id', 'title', 'sku', 'barcode', 'price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight',
  'weight_unit', 'position', 'image_url', 'options', 'created_at', 'updated_at',
  'id',
]); // prettier-ignore

export const collectionMembers: ReadonlySet<string> = new Set([
  'type', 'external_id', 'title', 'handle', 'description_html', 'published', 'collection_type', 'products_count',
  'image_url', 'seo_title', 'seo_description', 'created_at', 'updated_at',
  'id',
]); // prettier-ignore

export const orderMembers: ReadonlySet<string> = new Set([
  'type', 'external_id', 'order_number', 'customer_name', 'currency', 'total_price', 'subtotal_price', 'total_tax',
  'total_shipping', 'financial_status', 'fulfillment_status', 'items_count', 'tags', 'created_at', 'updated_at',
  'email', 'customer_email',
  'id',
]); // prettier-ignore

/** Members that the service generates. */
const unread: ReadonlySet<string> = new Set(['id', 'domain', 'product_count', 'granted_scopes', 'variant_count', 'min_price', 'max_price', 'total_stock', 'export', 'types', 'version', 'changes_cursor']); // prettier-ignore

const explained = (members: ReadonlySet<string>, prefix: string, path = ''): (readonly [string, string])[] =>
  [...members]
    .filter((name) => !unread.has(name))
    .map((name) => [prefix + path + name, name === 'type' ? 'what the line is' : path + name] as const);

/** The fields that the members of lines become, by the type of the line. */
export const explainedMembers: Readonly<Record<string, string>> = Object.fromEntries([
  ...explained(shopMembers, 'shop.'),
  ...explained(productMembers, 'product.'),
  ...explained(variantMembers, 'product.', 'variants.'),
  ...explained(collectionMembers, 'collection.'),
  ...explained(orderMembers, 'order.'),
]);
