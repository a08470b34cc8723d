import { schemaMembers } from './schema-members';

/**
 * Properties of a shop's columns that schema.graphql cannot express. The schema has their order, nullability and
 * descriptions; a field without an entry here does not compile. Readers, importers and limits all use this file.
 */

const kibibyte = 1024;

/**
 * Maximum lengths in bytes of UTF-8: far beyond what shops have, and small enough that a row fits in a response
 * (docs/decisions.md 41).
 */
const bounds = {
  /** Indexed columns: an entry of a B-tree must fit in a third of a page. */
  indexed: 2_000,
  words: 10_000,
  url: 8 * kibibyte,
  longText: 64 * kibibyte,
  document: 1024 * kibibyte,
  /** More digits than any amount has. */
  decimal: 1_000,
  /** Of lists of objects, as JSON text. */
  list: 256 * kibibyte,
} as const;

/** The total number of elements and bytes of a list of texts. */
export const tagLimits = { count: 1_000, bytes: bounds.longText } as const;

/** The bytes of `options` as JSON text, as PostgreSQL writes it. */
export const optionsLimit = bounds.longText;

export const plans = ['free', 'starter', 'pro', 'business'] as const;
export type Plan = (typeof plans)[number];

export const productStatuses = ['ACTIVE', 'DRAFT', 'ARCHIVED'] as const;
export type ProductStatus = (typeof productStatuses)[number];

export interface VariantOption {
  readonly name: string;
  readonly value: string;
}

/** The members of the objects of a list. A key is an indexed text; those with a question mark may be null. */
export type ListShape = Readonly<Record<string, 'key' | 'text' | 'text?' | 'decimal?' | 'integer' | 'integer?'>>;

/** An object in a list of this shape. */
export type ItemOf<Of extends ListShape> = {
  readonly [Name in keyof Of]:
    (Of[Name] extends `integer${string}` ? number : string) | (Of[Name] extends `${string}?` ? null : never);
};

/** How a column is read from a file and stored. Kinds without a bound are checked by their type. */
const key = { kind: 'key', sql: 'uuid' } as const;
const externalId = { kind: 'externalId', sql: 'text', bound: bounds.indexed } as const;
const indexed = { kind: 'indexed', sql: 'text', bound: bounds.indexed } as const;
const words = { kind: 'text', sql: 'text', bound: bounds.words } as const;
const longText = { kind: 'text', sql: 'text', bound: bounds.longText } as const;
const html = { kind: 'text', sql: 'text', bound: bounds.document } as const;
const url = { kind: 'text', sql: 'text', bound: bounds.url } as const;
const currency = { kind: 'currency', sql: 'text' } as const;
const status = { kind: 'status', sql: 'text' } as const;
const decimal = { kind: 'decimal', sql: 'text', bound: bounds.decimal } as const;
const tags = { kind: 'tags', sql: 'text[]' } as const;
/** Objects stored as JSON in the row they belong to, each with all of these members. */
const list = <const Of extends ListShape>(of: Of, count: number) =>
  ({ kind: 'list', sql: 'jsonb', of, count, bytes: bounds.list }) as const;
const images = list({ url: 'text', alt_text: 'text?', position: 'integer?' }, 250);
const memberships = list({ collection_external_id: 'key', position: 'integer?' }, 1_000);
const lineItems = list(
  {
    title: 'text?',
    sku: 'text?',
    quantity: 'integer',
    unit_price: 'decimal?',
    total: 'decimal?',
    product_external_id: 'text?',
    variant_external_id: 'text?',
  },
  1_000,
);
const options = { kind: 'options', sql: 'jsonb' } as const;
const flag = { kind: 'flag', sql: 'boolean' } as const;
const count = { kind: 'count', sql: 'bigint' } as const;
const quantity = { kind: 'quantity', sql: 'bigint' } as const;
const position = { kind: 'position', sql: 'integer' } as const;
const timestamp = { kind: 'timestamp', sql: 'timestamptz(3)' } as const;
/** Computed from other rows by triggers; never imported. */
const derived = { kind: 'derived' } as const;

/**
 * How order text that contains an e-mail address is handled (D25): its digest is stored in its place; it is removed, or
 * masked where nothing remains and something is required; the whole value becomes null; an element of a list is
 * omitted; or it is removed from the texts of the objects of a list.
 */
type AddressRule = 'digest' | 'mask' | 'remove' | 'null' | 'omit' | 'items';

const guarded = <Rule, const Address extends AddressRule>(rule: Rule, address: Address) => ({ ...rule, address });

/** Not a member of /v1, whose members are fixed (D24). */
const beyondRest = <Rule>(rule: Rule) => ({ ...rule, isBeyondRest: true }) as const;

/** The columns that can hold a member of this type of the schema. */
interface ColumnsByType {
  readonly 'ID!': typeof key;
  readonly 'String!': typeof externalId | typeof words;
  readonly String: typeof indexed | typeof words | typeof longText | typeof html | typeof currency;
  readonly URL: typeof url;
  readonly Decimal: typeof decimal | typeof derived;
  readonly DateTime: typeof timestamp;
  readonly 'DateTime!': typeof timestamp;
  readonly 'Boolean!': typeof flag;
  readonly Int: typeof position;
  readonly 'Int!': typeof derived;
  readonly Long: typeof quantity;
  readonly 'Long!': typeof count | typeof derived;
  readonly 'ProductStatus!': typeof status;
  readonly '[String!]!': typeof tags;
  readonly '[VariantOption!]!': typeof options;
  readonly '[Image!]!': typeof images;
  readonly '[Membership!]!': typeof memberships;
  readonly '[LineItem!]!': typeof lineItems;
}

type Members = typeof schemaMembers;

type RulesOf<Typename extends keyof Members> = {
  readonly [Member in keyof Members[Typename]]: ColumnsByType[Members[Typename][Member] & keyof ColumnsByType];
};

/** Orders contain personal data: every text that a merchant can choose needs a rule for e-mail addresses in it. */
type GuardedRulesOf<Typename extends keyof Members> = {
  readonly [Member in keyof Members[Typename]]: Members[Typename][Member] extends
    'String!' | 'String' | '[String!]!' | 'URL' | '[LineItem!]!'
    ? { readonly address: AddressRule } | typeof currency
    : unknown;
};

export const model = {
  products: {
    id: key,
    externalId,
    title: words,
    handle: words,
    status,
    vendor: indexed,
    productType: indexed,
    tags,
    descriptionHtml: html,
    seoTitle: words,
    seoDescription: longText,
    imageUrl: url,
    variantCount: derived,
    minPrice: derived,
    maxPrice: derived,
    totalStock: derived,
    publishedAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
    url: beyondRest(url),
    images: beyondRest(images),
    memberships: beyondRest(memberships),
  } satisfies RulesOf<'Product'>,
  variants: {
    id: key,
    externalId,
    title: words,
    sku: words,
    barcode: words,
    price: decimal,
    compareAtPrice: decimal,
    costPrice: decimal,
    inventoryQuantity: quantity,
    weight: decimal,
    weightUnit: indexed,
    position,
    imageUrl: url,
    options,
    createdAt: timestamp,
    updatedAt: timestamp,
  } satisfies RulesOf<'Variant'>,
  collections: {
    id: key,
    externalId,
    title: words,
    handle: words,
    descriptionHtml: html,
    published: flag,
    collectionType: indexed,
    productsCount: count,
    imageUrl: url,
    seoTitle: words,
    seoDescription: longText,
    createdAt: timestamp,
    updatedAt: timestamp,
  } satisfies RulesOf<'Collection'>,
  orders: {
    id: key,
    externalId: guarded(externalId, 'digest'),
    orderNumber: guarded(words, 'mask'),
    customerName: guarded(words, 'remove'),
    currency,
    totalPrice: decimal,
    subtotalPrice: decimal,
    totalTax: decimal,
    totalShipping: decimal,
    financialStatus: guarded(indexed, 'null'),
    fulfillmentStatus: guarded(indexed, 'null'),
    itemsCount: count,
    tags: guarded(tags, 'omit'),
    createdAt: timestamp,
    updatedAt: timestamp,
    lineItems: beyondRest(guarded(lineItems, 'items')),
  } satisfies RulesOf<'Order'> & GuardedRulesOf<'Order'>,
} as const;

export type StoredImage = ItemOf<(typeof images)['of']>;
export type StoredMembership = ItemOf<(typeof memberships)['of']>;
export type StoredLineItem = ItemOf<(typeof lineItems)['of']>;

export type Model = typeof model;
export type ObjectTable = keyof Model;

/** The GraphQL type of a table's rows. */
export const typenames = {
  products: 'Product',
  variants: 'Variant',
  collections: 'Collection',
  orders: 'Order',
} as const satisfies Record<ObjectTable, keyof Members>;

export type ColumnKind = { [Table in ObjectTable]: KindOf<Table, keyof Model[Table]> }[ObjectTable];

/** The name of a column, by that of its member: `seoTitle` is `seo_title`. */
export type ColumnName<Member extends string> = Member extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : Member;

const toColumnName = <Member extends string>(member: Member): ColumnName<Member> =>
  member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as ColumnName<Member>;

/** Members that a file provides: all but the key and what is computed. */
export type ImportedMember<Table extends ObjectTable> = {
  [Member in keyof Model[Table]]: Model[Table][Member] extends { readonly kind: 'key' | 'derived' } ? never : Member;
}[keyof Model[Table]] &
  string;

/** Members of orders that an importer writes as text of the merchant's choice. */
export type GuardedMember = {
  [Member in keyof Model['orders']]: Model['orders'][Member] extends { readonly address: AddressRule } ? Member : never;
}[keyof Model['orders']];

export type KindOf<Table extends ObjectTable, Member extends keyof Model[Table]> = Model[Table][Member] extends {
  readonly kind: infer Kind;
}
  ? Kind
  : never;

/** The type of a member in the schema, as `String!`. */
export type TypeOf<Table extends ObjectTable, Member> = Member extends keyof Members[(typeof typenames)[Table]]
  ? Members[(typeof typenames)[Table]][Member]
  : never;

/** Properties of a column for its readers. */
export interface Column<Table extends ObjectTable = ObjectTable> {
  readonly member: keyof Model[Table] & string;
  readonly name: string;
  readonly kind: ColumnKind;
  /** The type as which PostgreSQL reads its JSON text; absent for derived columns. */
  readonly sql?: string;
  /** The maximum length in bytes. */
  readonly bound?: number;
  /** For a list of objects. */
  readonly of?: ListShape;
  /** The maximum number of objects in a list, and of their bytes as JSON text, as PostgreSQL writes it. */
  readonly count?: number;
  readonly bytes?: number;
  /** For a text of an order. */
  readonly address?: AddressRule;
  readonly isBeyondRest?: true;
  readonly isRequired: boolean;
}

/** The columns of a table, in the order of the schema. */
export function columnsOf<Table extends ObjectTable>(table: Table): readonly Column<Table>[] {
  const types: Readonly<Record<string, string>> = schemaMembers[typenames[table]];
  const rules: Readonly<Record<string, { readonly kind: ColumnKind }>> = model[table];
  return Object.keys(types).map((member) => ({
    member: member as keyof Model[Table] & string,
    name: toColumnName(member),
    isRequired: types[member]?.endsWith('!') === true,
    ...(rules[member] as { readonly kind: ColumnKind }),
  }));
}

/** The columns that /v1 shows. */
export const restColumnsOf = <Table extends ObjectTable>(table: Table): readonly Column<Table>[] =>
  columnsOf(table).filter(({ isBeyondRest }) => isBeyondRest !== true);

/** The columns that a file provides. */
export const importedColumnsOf = <Table extends ObjectTable>(table: Table): readonly Column<Table>[] =>
  columnsOf(table).filter(({ kind }) => kind !== 'key' && kind !== 'derived');

const boundsOf = (table: ObjectTable): Readonly<Record<string, number>> =>
  Object.fromEntries(columnsOf(table).flatMap(({ name, bound }) => (bound === undefined ? [] : [[name, bound]])));

/** The maximum lengths of text columns in bytes, by table. CHECK constraints enforce them for every writer. */
export const columnLengths = {
  shops: { name: bounds.words, platform: bounds.indexed, plan_status: bounds.indexed },
  products: boundsOf('products'),
  variants: boundsOf('variants'),
  collections: boundsOf('collections'),
  orders: boundsOf('orders'),
} as const;
