/**
 * Lookups that always use the intended index. Each of several indexes begins with shop_id. Where the planner's
 * statistics do not include the shop, or are outdated, all of them look equally good, and it reads the whole shop for
 * each object. So each lookup requests an order that only the right index has, and the import disables sorting (see
 * import-transaction). Bounds are used instead of `=`, because an equality would make the order redundant.
 */

/**
 * The shop of rows that are found by their ctid, so that the statement names it. No index serves this form: a plan that
 * expects no rows of a new shop would begin with the shop's rows, and compare each of them with the whole batch.
 */
export const ofShop = '(stored.shop_id = $1) IS TRUE';

/** The row of the shop with this external_id, if there is one. */
export const findByExternalId = (table: string, columns: string): string =>
  `SELECT ${columns} FROM ${table} AS found
    WHERE found.shop_id = $1 AND found.external_id >= given.external_id AND found.external_id <= given.external_id
    ORDER BY found.external_id LIMIT 1`;

/** The row of the shop with this id. */
export const findById = (table: string, columns: string, id: string): string =>
  `SELECT ${columns} FROM ${table} AS found
    WHERE found.shop_id = $1 AND found.id >= ${id} AND found.id <= ${id} ORDER BY found.id LIMIT 1`;

/** The variant of a stored product with this external_id, if there is one. */
export const findVariantByExternalId = (columns: string): string =>
  `SELECT ${columns} FROM variants AS found
    WHERE NOT product.is_new AND found.shop_id = $1 AND found.product_id = product.id
      AND found.external_id >= given.external_id AND found.external_id <= given.external_id
    ORDER BY found.external_id LIMIT 1`;

/** All variants of a stored product. */
export const findVariants = (columns: string): string =>
  `SELECT ${columns} FROM variants AS found
    WHERE NOT product.is_new AND found.shop_id = $1 AND found.product_id = product.id
    ORDER BY found.position, found.id OFFSET 0`;
