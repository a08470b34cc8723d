import { ImportError, type SourceLocation } from '../values/import-error';
import { decodeEntities } from '../../common/html-entities';
import { Categories, type Category } from './categories';
import { FirstLines } from './first-lines';
import type { ReadContext } from './format';
import { LinkedRows } from './linked-rows';
import { toMemberships } from './lists';
import { ProductOfRows } from './product-of-rows';
import type { AbsentFromProducts, CatalogRecord } from './record';
import type { ProductValues, UnpositionedVariant, VariantOfRow } from './record';
import type { StoredImage, VariantOption } from '../../catalog/model';
import {
  computed,
  constant,
  from,
  ObjectRules,
  optional,
  toAbsent,
  type Provider,
  type Rule,
  type Rules,
  type Values,
} from './rules';
import { Sales } from './sales';
import { positionBounds } from '../values/numbers';
import { titleOf } from './shopify-product';
import { gmt } from './woocommerce-values';

type WooValues = Values & Provider;

/** Values that the CSV and the REST API write differently. */
export interface WooItem {
  readonly values: WooValues;
  readonly location: SourceLocation;
  /** Null after a problem. */
  readonly id: string | null;
  readonly kind: 'single' | 'variable' | 'grouped' | 'variation';
  readonly isActive: boolean;
  categories(): readonly Category[];
  productType(): string | null;
  names(member: 'brands' | 'tags'): readonly string[];
  description(): string | null;
  seoTitle(): string | null;
  seoDescription(): string | null;
  images(): readonly StoredImage[];
  stock(): string | null;
  /** A number that WooCommerce writes with a decimal point, even if prices have a comma. */
  unlocalized(column: 'weight' | 'cost'): string | null;
  weightUnit(): string | null;
  readonly options: readonly VariantOption[];
  /** Whether a variation shares the stock of its product. */
  readonly sharesStock: boolean;
  readonly prices: ReturnType<Sales['pricesOf']>;
  /** The product of a variation. */
  parent(): string | ImportError;
  /** The number of variations of a product, if the file has it. */
  readonly variations?: number | undefined;
  /** The values by which a variation may reference the product. */
  readonly references: readonly string[];
}

interface ProductRow extends Pick<WooItem, 'kind' | 'variations' | 'references'> {
  readonly line: number;
  readonly values: ProductValues;
  /** The product's own variant, if it has no variations. */
  readonly variant: VariantOfRow;
}

/** The rules that only one of the two formats has. */
interface OwnRules {
  readonly product: Partial<Rules<WooValues, ProductValues, WooItem>>;
  readonly variant: Partial<Rules<WooValues, VariantOfRow, WooItem>>;
}

/** The rules of both formats, by the names of the REST API's members. */
export function wooRules(own: OwnRules) {
  const product = new ObjectRules<WooValues, Omit<ProductValues, 'published'>, WooItem>('products', {
    external_id: computed(['id'], (_, item) => item.id ?? ''),
    title: computed(['name'], (values) => decodeEntities(values.requiredText('name'))),
    handle: from('slug'),
    status: computed(['status'], (_, item) => (item.isActive ? 'ACTIVE' : 'DRAFT')),
    vendor: optional(
      computed(['brands'], (_, item) => item.names('brands')[0]?.split(' > ').at(-1) ?? null, 'the first'),
    ),
    product_type: computed(['categories'], (_, item) => item.productType()),
    tags: computed(['tags'], (_, item) => [...new Set(item.names('tags'))]),
    description_html: computed(['description'], (_, item) => item.description()),
    image_url: computed(['images'], (_, item) => item.images()[0]?.url ?? null, 'the first'),
    images: computed(['images'], (_, item) => item.images()),
    memberships: computed(['categories'], (values, item) =>
      toMemberships(
        item.categories().map(({ id }) => id),
        positionIn(values),
      ),
    ),
    published_at: computed(['status'], () => null),
    created_at: gmt('date_created_gmt'),
    updated_at: gmt('date_modified_gmt'),
    ...own.product,
  });
  const variant = new ObjectRules<WooValues, VariantOfRow, WooItem>('variants', {
    external_id: computed(['id'], (_, item) => item.id),
    title: computed(['attributes'], (values, { options }: WooItem) =>
      options.length > 0 ? titleOf(options) : decodeEntities(values.text('name') ?? ''),
    ),
    sku: from('sku'),
    barcode: optional(from('global_unique_id')),
    price: priced((item) => item.prices.price),
    compare_at_price: priced((item) => item.prices.full),
    inventory_quantity: computed(['stock_quantity'], (_, item) => (item.sharesStock ? null : item.stock())),
    weight: computed(['weight'], (_, item) => item.unlocalized('weight')),
    position: constant(() => null),
    options: computed(['attributes'], (_, item) => item.options),
    created_at: gmt('date_created_gmt'),
    updated_at: gmt('date_modified_gmt'),
    ...own.variant,
  });
  return {
    product,
    variant,
    absentFrom: (file: Provider) =>
      toAbsent(
        [...product.absentFrom([file]), ...(file.provides('menu_order') ? [] : (['positions'] as const))],
        variant.absentFrom([file]),
      ),
  };
}

/** Of a variation among the others, and of a product in its categories. */
const positionIn = (values: Values): string | null => values.wholeNumber('menu_order', positionBounds);

const priced = (read: (item: WooItem) => string | null): Rule<WooValues, string | null, WooItem> => ({
  ...computed(['sale_price'], (_, item: WooItem) => read(item)),
  isProvided: hasPrices,
});

/** The price depends on both columns. */
const hasPrices = (file: Provider): boolean => file.provides('regular_price') && file.provides('sale_price');

/** Explanations of members that become no column, or several. */
export const wooMeanings = {
  type: 'identifies variations',
  regular_price: 'variants.price; variants.compare_at_price during a sale',
  sale_price: 'variants.price',
  date_on_sale_from_gmt: 'start of the sale price',
  date_on_sale_to_gmt: 'end of the sale price',
  parent_id: 'identifies the product of the variation',
  menu_order: 'variants.position; position in memberships',
};

/** WooCommerce gives a variation without a weight the weight of its product. */
const inherit = ['weight', 'weight_unit'] as const;

/**
 * Collects the objects of a file and assembles them when all have been read, because a variation may be anywhere, even
 * before its product. Products are returned in file order.
 */
export class WooProducts {
  readonly sales: Sales;
  readonly #rows = new LinkedRows<UnpositionedVariant, ProductRow>('the same file');
  readonly #firstLines = new FirstLines();
  readonly #categories = new Categories();
  #sharedStock = 0;

  constructor(
    private readonly file: string,
    private readonly context: ReadContext,
    private readonly rules: ReturnType<typeof wooRules>,
  ) {
    this.sales = new Sales(context);
  }

  async add(item: WooItem): Promise<void> {
    const { id, kind, location, values, variations, references, isActive } = item;
    const { line } = location;
    const { problems } = this.context;
    const isNew = id !== null && this.#firstLines.begin(id, location, problems);
    // A variation is added nevertheless, so that its product, which would lose it, is left out.
    if (!isNew && kind !== 'variation') return;
    const variant = this.rules.variant.read(values, item);
    if (kind === 'variation') {
      if (item.sharesStock) this.#sharedStock += 1;
      const parent = item.parent();
      if (parent instanceof ImportError) return problems.addFatal(parent);
      return this.#rows.add({ line, ...variant }, parent, location, Number(positionIn(values)));
    }
    await this.#rows.addProduct({
      ...{ line, kind, variations, references },
      values: { ...this.rules.product.read(values, item), published: isActive && values.provides('status') },
      variant: { ...variant, title: 'Default Title', options: [], image_url: null },
    });
    this.#categories.add(item.categories(), line);
  }

  async *records(absent: AbsentFromProducts): AsyncGenerator<CatalogRecord, void, void> {
    const { file, context } = this;
    if (this.#sharedStock > 0)
      context.warn(`variations that share the stock of their product: ${this.#sharedStock}. Their stock was imported as null to avoid counting it more than once`); // prettier-ignore
    this.sales.warn();
    context.problems.endObjects();
    // One object for all of them, so that they are written together.
    const withoutVariants: AbsentFromProducts = { ...absent, variants: true };
    let incomplete = 0;
    for await (const { line, values, variant, kind, references, variations } of this.#rows.products()) {
      const own = (): UnpositionedVariant => ({ line, ...variant });
      const product = new ProductOfRows(line, values, own, { file, problems: context.problems, inherit });
      let found = 0;
      for await (const [row, size] of this.#rows.take(references)) {
        found += 1;
        product.add(() => row, row.line, size);
      }
      const isIncomplete = kind === 'variable' && found < (variations ?? 1);
      if (isIncomplete) incomplete += 1;
      // Without variations, a product is its own variant, unless it only groups other products.
      yield product.finish(isIncomplete ? withoutVariants : absent, kind === 'single');
    }
    if (incomplete > 0) {
      context.warn(
        `variable products with missing variations: ${incomplete}; their stored variants were kept. Export all variations into the same file`,
      );
    }
    for (const warning of this.#rows.warnings) context.warn(warning);
    yield* this.#categories.records(context.isPartial);
  }

  close(): Promise<void> {
    return this.#rows.close();
  }
}
