import type { ProductValues, VariantValues } from '../formats/record';
import type { DecimalSign } from '../values/number-style';
import type { LocalDateFormat } from '../values/local-date';

/** The names by which a column is looked up, in this order. */
export type ColumnReference = readonly string[];

export type ProductMember = Exclude<keyof ProductValues, 'id' | 'published'>;
export type VariantMember = Exclude<keyof VariantValues, 'id' | 'options'>;

/** The condition that a cell must meet. */
export interface Condition {
  readonly column: ColumnReference;
  /** Any of these words, in lower case; without them, whether the cell is filled. */
  readonly words: ReadonlySet<string> | undefined;
  readonly isFilled: boolean;
}

/** How one member is made from the cells of a row. */
export interface ValueRule {
  /** Undefined for a value that is the same in all rows. */
  readonly column: ColumnReference | undefined;
  readonly value: string | undefined;
  /** Columns whose words are put behind that of `column`, each with a space before it. */
  readonly joined: readonly ColumnReference[];
  /** The meanings of words of the cell, by the word in lower case. */
  readonly words: ReadonlyMap<string, string> | undefined;
  readonly separator: string | undefined;
  readonly until: string | undefined;
  readonly behindLast: string | undefined;
  readonly prefix: string | undefined;
  readonly isHtml: boolean;
  readonly when: Condition | undefined;
  /** For prices. */
  readonly sale: ColumnReference | undefined;
  readonly saleWhen: Condition | undefined;
  /** The dates of the sale. */
  readonly saleFrom: ColumnReference | undefined;
  readonly saleTo: ColumnReference | undefined;
  readonly taxPercent: string | undefined;
  /** For variants in a separate file: what is added to the product's value. */
  readonly add: ColumnReference | undefined;
}

/** Where the options of a variant are. */
export type OptionRule =
  | { readonly form: 'fixed'; readonly options: readonly { readonly name: string; readonly column: ColumnReference }[] }
  /** A pair of columns for each option; `{n}` in their names is its number. */
  | { readonly form: 'numbered'; readonly names: ColumnReference | undefined; readonly values: ColumnReference; readonly until: string | undefined }
  /** One column of names and one of values, with several in a cell. */
  | { readonly form: 'lists'; readonly names: ColumnReference; readonly values: ColumnReference; readonly separator: string; readonly until: string | undefined }
  /** One column, of parts such as `Size=S`. */
  | { readonly form: 'pairs'; readonly column: ColumnReference; readonly separator: string; readonly between: string; readonly until: string | undefined }
  /** One column, of parts such as `Type=Radio|Name=Size|Value=S`. */
  | { readonly form: 'marked'; readonly column: ColumnReference; readonly start: string; readonly name: string; readonly value: string; readonly separator: string; readonly until: string | undefined }; // prettier-ignore

/** How rows become products and variants. */
export type RowRule =
  /** Each row is a product with one variant. */
  | { readonly form: 'single' }
  /** Rows below a product's row are its variants, images or nothing. */
  | {
      readonly form: 'below';
      readonly productWhen: Condition;
      readonly variantWhen: Condition | undefined;
      readonly imageWhen: Condition | undefined;
      /** Whether the row of a product with other variants is a variant, too. */
      readonly firstIsVariant: boolean;
    }
  /** Consecutive rows with the same cell are the variants of one product. */
  | { readonly form: 'same'; readonly column: ColumnReference }
  /** Rows of variants reference their product's row, which may be anywhere. */
  | { readonly form: 'parent'; readonly column: ColumnReference; readonly names: ColumnReference }
  /** Rows of products list those of their variants, which may be anywhere. */
  | {
      readonly form: 'children';
      readonly column: ColumnReference;
      readonly names: ColumnReference;
      readonly labels: ColumnReference | undefined;
    };

export interface VariantRules {
  readonly members: ReadonlyMap<VariantMember, ValueRule>;
  readonly options: OptionRule | undefined;
}

/** A second file: the variants of the products, each with the id of its product. */
export interface VariantsFile extends VariantRules {
  readonly recognisedBy: readonly ColumnReference[];
  /** Its name in messages. */
  readonly title: string;
  readonly product: ColumnReference;
}

/** What maps of all objects say about the table. */
export interface TableMap {
  readonly name: string;
  /** The user's name for it: a name or a path. */
  readonly source: string;
  readonly delimiter: string | undefined;
  readonly decimal: DecimalSign | undefined;
  readonly dateFormat: LocalDateFormat | undefined;
  /** Columns that a file of this map must have. */
  readonly recognisedBy: readonly ColumnReference[];
  /** Columns that a file may lack, by any of their names in lower case. */
  readonly optional: ReadonlySet<string> | 'all';
  readonly skipWhen: readonly Condition[];
}

/** How the columns of a table become products and variants. */
export interface ImportMap extends TableMap {
  readonly rows: RowRule;
  /** The values that a variant's row leaves blank and inherits from its product. */
  readonly inherit: ReadonlySet<VariantMember>;
  readonly product: ReadonlyMap<ProductMember, ValueRule>;
  /** Undefined where the table contains no variants. */
  readonly variant: VariantRules | undefined;
  readonly variantsFile: VariantsFile | undefined;
}

/** The tables of objects without inner ones. */
export type ObjectsTable = 'orders' | 'collections';

/** The member that is counted: the items of an order, the products of a collection. */
export const countOf = { orders: 'items_count', collections: 'products_count' } as const;

/** How the columns of a table become orders, or collections. */
export interface ObjectsMap extends TableMap {
  readonly table: ObjectsTable;
  /**
   * The column in which the consecutive rows of one object have the same cell; undefined where each row is an object.
   */
  readonly same: ColumnReference | undefined;
  /** The names of their columns (src/catalog/model.ts), and the rules for them. */
  readonly members: ReadonlyMap<string, ValueRule>;
}
