// Written by codegen.mjs from rest/openapi.yaml; a test compares them.
export interface paths {
  readonly '/shop': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * The connected shop
     * @description The shop that the credential belongs to, with the scopes that the credential actually carries. Needs the scope
     *     `account:read`.
     */
    readonly get: operations['getShop'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/products': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * A page of products
     * @description Products, oldest first, without their variants. Soft-deleted products and those beyond the plan's product limit are absent.
     *     Needs the scope `catalog:read`.
     */
    readonly get: operations['listProducts'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/products/{productId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * One product with its variants
     * @description A product with every variant of it, ordered by `position`, whatever their number. Needs the scope `catalog:read`.
     */
    readonly get: operations['getProduct'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/collections': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * A page of collections
     * @description Collections, oldest first. Needs the scope `catalog:read`.
     */
    readonly get: operations['listCollections'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/orders': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * A page of orders
     * @description Orders, oldest first. Needs the scope `orders:read`.
     */
    readonly get: operations['listOrders'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description Error envelope with the codes that go with this status. */
    readonly BadUserInputError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'BAD_USER_INPUT';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** @description Error envelope with the codes that go with this status. */
    readonly UnauthorizedError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'UNAUTHORIZED';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** @description Error envelope with the codes that go with this status. */
    readonly ForbiddenError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'FORBIDDEN' | 'PLAN_LIMIT_EXCEEDED';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** @description Error envelope with the codes that go with this status. */
    readonly NotFoundError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'NOT_FOUND';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** @description Error envelope with the codes that go with this status. */
    readonly RateLimitedError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'RATE_LIMITED';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** @description Error envelope with the codes that go with this status. */
    readonly InternalServerErrorError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'INTERNAL_SERVER_ERROR';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** @description Error envelope with the codes that go with this status. */
    readonly ServiceUnavailableError: {
      readonly error: {
        /**
         * @description Stable, for programs.
         * @enum {unknown}
         */
        readonly code: 'SERVICE_UNAVAILABLE';
        /** @description For people; what was expected and what was got. */
        readonly message: string;
      };
    };
    /** Format: uuid */
    readonly Uuid: string;
    /**
     * Format: date-time
     * @description UTC with milliseconds.
     */
    readonly Timestamp: string;
    /**
     * Format: date-time
     * @description UTC with milliseconds.
     */
    readonly NullableTimestamp: string | null;
    /** @description Decimal number in plain notation with the digits the shop gave. */
    readonly NullableDecimal: string | null;
    /** @enum {string} */
    readonly ProductStatus: 'ACTIVE' | 'DRAFT' | 'ARCHIVED';
    /** @enum {string} */
    readonly Scope: 'catalog:read' | 'orders:read' | 'account:read';
    /** @description The connected shop. */
    readonly Shop: {
      /** @description Shop id. */
      readonly id: components['schemas']['Uuid'];
      /** @description Display name. */
      readonly name?: string | null;
      /** @description Domain of the shop on its CMS. */
      readonly domain?: string | null;
      /** @description Lowercase name of the CMS behind the shop. */
      readonly platform: string | null;
      /** @description ISO 4217 code. */
      readonly currency?: string | null;
      /**
       * @description Subscription plan.
       * @enum {string}
       */
      readonly plan: 'free' | 'starter' | 'pro' | 'business';
      /** @description Subscription status. */
      readonly plan_status?: string;
      /**
       * Format: int64
       * @description Products the plan allows; null means unlimited.
       */
      readonly product_limit?: number | null;
      /**
       * Format: int64
       * @description Products currently readable through the API.
       */
      readonly product_count: number;
      /** @description Last successful synchronisation with the CMS. */
      readonly last_sync_at?: components['schemas']['NullableTimestamp'];
      /** @description When the shop was connected. */
      readonly created_at?: components['schemas']['Timestamp'];
      /** @description Scopes carried by the credential used for the call. */
      readonly granted_scopes: readonly components['schemas']['Scope'][];
    };
    /** @description A product without its variants. */
    readonly Product: {
      /** @description Product id. */
      readonly id: components['schemas']['Uuid'];
      /** @description Id of the product in the merchant's CMS. */
      readonly external_id: string;
      /** @description Name of the product. */
      readonly title: string;
      /** @description URL slug on the storefront. */
      readonly handle?: string | null;
      /** @description State in the CMS. */
      readonly status: components['schemas']['ProductStatus'];
      /** @description Vendor or brand. */
      readonly vendor?: string | null;
      /** @description The merchant's own classification. */
      readonly product_type?: string | null;
      /** @description Labels, in the merchant's order. */
      readonly tags?: readonly string[];
      /** @description Long description as HTML, verbatim from the CMS. */
      readonly description_html?: string | null;
      /** @description Title for search engines. */
      readonly seo_title?: string | null;
      /** @description Description for search engines. */
      readonly seo_description?: string | null;
      /** @description Address of the main image. */
      readonly image_url?: string | null;
      /**
       * Format: int64
       * @description Number of variants.
       */
      readonly variant_count?: number;
      /** @description Lowest price of a variant. */
      readonly min_price?: components['schemas']['NullableDecimal'];
      /** @description Highest price of a variant. */
      readonly max_price?: components['schemas']['NullableDecimal'];
      /**
       * Format: int64
       * @description Stock summed over the variants; an untracked quantity counts as 0.
       */
      readonly total_stock?: number;
      /** @description When the product was published; null when it is not. */
      readonly published_at?: components['schemas']['NullableTimestamp'];
      /** @description When the product was created in the CMS. */
      readonly created_at: components['schemas']['Timestamp'];
      /** @description When the product was last changed in the CMS. */
      readonly updated_at: components['schemas']['Timestamp'];
    };
    /** @description A product with its variants. */
    readonly ProductWithVariants: {
      /** @description Product id. */
      readonly id: components['schemas']['Uuid'];
      /** @description Id of the product in the merchant's CMS. */
      readonly external_id: string;
      /** @description Name of the product. */
      readonly title: string;
      /** @description URL slug on the storefront. */
      readonly handle?: string | null;
      /** @description State in the CMS. */
      readonly status: components['schemas']['ProductStatus'];
      /** @description Vendor or brand. */
      readonly vendor?: string | null;
      /** @description The merchant's own classification. */
      readonly product_type?: string | null;
      /** @description Labels, in the merchant's order. */
      readonly tags?: readonly string[];
      /** @description Long description as HTML, verbatim from the CMS. */
      readonly description_html?: string | null;
      /** @description Title for search engines. */
      readonly seo_title?: string | null;
      /** @description Description for search engines. */
      readonly seo_description?: string | null;
      /** @description Address of the main image. */
      readonly image_url?: string | null;
      /**
       * Format: int64
       * @description Number of variants.
       */
      readonly variant_count?: number;
      /** @description Lowest price of a variant. */
      readonly min_price?: components['schemas']['NullableDecimal'];
      /** @description Highest price of a variant. */
      readonly max_price?: components['schemas']['NullableDecimal'];
      /**
       * Format: int64
       * @description Stock summed over the variants; an untracked quantity counts as 0.
       */
      readonly total_stock?: number;
      /** @description When the product was published; null when it is not. */
      readonly published_at?: components['schemas']['NullableTimestamp'];
      /** @description When the product was created in the CMS. */
      readonly created_at: components['schemas']['Timestamp'];
      /** @description When the product was last changed in the CMS. */
      readonly updated_at: components['schemas']['Timestamp'];
      /** @description Every variant, ordered by `position`. */
      readonly variants: readonly components['schemas']['Variant'][];
    };
    /** @description A name and its value that distinguish one variant from another. */
    readonly VariantOption: {
      /** @description What differs. */
      readonly name: string;
      /** @description Which one this is. */
      readonly value: string;
    };
    /** @description One sellable version of a product. */
    readonly Variant: {
      /** @description Variant id. */
      readonly id: components['schemas']['Uuid'];
      /** @description Id of the variant in the merchant's CMS. */
      readonly external_id: string;
      /** @description Label of the variant. */
      readonly title?: string | null;
      /** @description Stock keeping unit. */
      readonly sku?: string | null;
      /** @description EAN or UPC. */
      readonly barcode?: string | null;
      /** @description Selling price. */
      readonly price?: components['schemas']['NullableDecimal'];
      /** @description Strikethrough price. */
      readonly compare_at_price?: components['schemas']['NullableDecimal'];
      /** @description What the merchant pays. */
      readonly cost_price?: components['schemas']['NullableDecimal'];
      /**
       * Format: int64
       * @description Stock on hand; null when it is not tracked.
       */
      readonly inventory_quantity?: number | null;
      /** @description Weight, in `weight_unit`. */
      readonly weight?: components['schemas']['NullableDecimal'];
      /** @description Unit of `weight`. */
      readonly weight_unit?: string | null;
      /** @description Display order within the product. */
      readonly position?: number | null;
      /** @description Address of the variant's image. */
      readonly image_url?: string | null;
      /** @description The options that distinguish this variant from the others. */
      readonly options?: readonly components['schemas']['VariantOption'][];
      /** @description When the variant was created in the CMS. */
      readonly created_at: components['schemas']['Timestamp'];
      /** @description When the variant was last changed in the CMS. */
      readonly updated_at: components['schemas']['Timestamp'];
    };
    /** @description A collection or category. */
    readonly Collection: {
      /** @description Collection id. */
      readonly id: components['schemas']['Uuid'];
      /** @description Id of the collection in the merchant's CMS. */
      readonly external_id: string;
      /** @description Name of the collection. */
      readonly title: string;
      /** @description URL slug on the storefront. */
      readonly handle?: string | null;
      /** @description Description as HTML, verbatim from the CMS. */
      readonly description_html?: string | null;
      /** @description Whether it is visible on the storefront. */
      readonly published: boolean;
      /** @description How membership is decided; `manual` and `smart` have been seen. */
      readonly collection_type?: string | null;
      /**
       * Format: int64
       * @description Number of products in it, as the CMS counts them.
       */
      readonly products_count: number;
      /** @description Address of the collection's image. */
      readonly image_url?: string | null;
      /** @description Title for search engines. */
      readonly seo_title?: string | null;
      /** @description Description for search engines. */
      readonly seo_description?: string | null;
      /** @description When the collection was created in the CMS. */
      readonly created_at?: components['schemas']['NullableTimestamp'];
      /** @description When the collection was last changed in the CMS. */
      readonly updated_at?: components['schemas']['NullableTimestamp'];
    };
    /** @description An order imported from the CMS. */
    readonly Order: {
      /** @description Order id. */
      readonly id: components['schemas']['Uuid'];
      /** @description Id of the order in the merchant's CMS. */
      readonly external_id: string;
      /** @description Number that merchant and customer know the order by. */
      readonly order_number: string;
      /** @description Name of the customer, never an address. */
      readonly customer_name?: string | null;
      /** @description ISO 4217 code of the order's currency. */
      readonly currency?: string | null;
      /** @description What the customer pays. */
      readonly total_price?: components['schemas']['NullableDecimal'];
      /** @description Sum of the items. */
      readonly subtotal_price?: components['schemas']['NullableDecimal'];
      /** @description Taxes. */
      readonly total_tax?: components['schemas']['NullableDecimal'];
      /** @description Shipping. */
      readonly total_shipping?: components['schemas']['NullableDecimal'];
      /** @description Status of the payment in the CMS's own words, such as `PAID`. */
      readonly financial_status?: string | null;
      /** @description Status of the shipment in the CMS's own words, such as `FULFILLED`. */
      readonly fulfillment_status?: string | null;
      /**
       * Format: int64
       * @description Number of items.
       */
      readonly items_count: number;
      /** @description Labels, in the merchant's order. */
      readonly tags?: readonly string[];
      /** @description When the order was placed. */
      readonly created_at?: components['schemas']['NullableTimestamp'];
      /** @description When the order was last changed in the CMS. */
      readonly updated_at?: components['schemas']['NullableTimestamp'];
    };
    /** @description The shop. */
    readonly ShopEnvelope: {
      readonly data: components['schemas']['Shop'];
    };
    /** @description The product. */
    readonly ProductEnvelope: {
      readonly data: components['schemas']['ProductWithVariants'];
    };
    /** @description A page of a list. */
    readonly ProductPage: {
      /** @description The objects of the page. */
      readonly data: readonly components['schemas']['Product'][];
      /** @description Whether another page exists. */
      readonly has_more: boolean;
      /** @description Opaque; pass it back as `cursor`. null when there is no further page. */
      readonly next_cursor: string | null;
    };
    /** @description A page of a list. */
    readonly CollectionPage: {
      /** @description The objects of the page. */
      readonly data: readonly components['schemas']['Collection'][];
      /** @description Whether another page exists. */
      readonly has_more: boolean;
      /** @description Opaque; pass it back as `cursor`. null when there is no further page. */
      readonly next_cursor: string | null;
    };
    /** @description A page of a list. */
    readonly OrderPage: {
      /** @description The objects of the page. */
      readonly data: readonly components['schemas']['Order'][];
      /** @description Whether another page exists. */
      readonly has_more: boolean;
      /** @description Opaque; pass it back as `cursor`. null when there is no further page. */
      readonly next_cursor: string | null;
    };
  };
  responses: {
    /** @description The client holds the current representation already. */
    readonly NotModified: {
      headers: {
        readonly ETag: components['headers']['ETag'];
        readonly 'Cache-Control': components['headers']['Cache-Control'];
        readonly Vary: components['headers']['Vary'];
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly 'Ignored-Parameters': components['headers']['Ignored-Parameters'];
        readonly [name: string]: unknown;
      };
      content?: never;
    };
    /** @description A parameter breaks its rule, or the request is malformed. */
    readonly BadUserInput: {
      headers: {
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['BadUserInputError'];
      };
    };
    /** @description The credential is missing or invalid. */
    readonly Unauthorized: {
      headers: {
        readonly 'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['UnauthorizedError'];
      };
    };
    /** @description The credential lacks the operation's scope, or the shop is not on the plan `business`. */
    readonly Forbidden: {
      headers: {
        readonly 'WWW-Authenticate': components['headers']['Challenge'];
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['ForbiddenError'];
      };
    };
    /** @description There is no such product: it never existed, was deleted, is hidden by the plan's product limit, or belongs to another shop. */
    readonly NotFound: {
      headers: {
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['NotFoundError'];
      };
    };
    /** @description The rate limit is exceeded. */
    readonly RateLimited: {
      headers: {
        readonly 'WWW-Authenticate': components['headers']['Challenge'];
        readonly 'Retry-After': components['headers']['Retry-After'];
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['RateLimitedError'];
      };
    };
    /** @description Something went wrong on our side. */
    readonly InternalServerError: {
      headers: {
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['InternalServerErrorError'];
      };
    };
    /** @description The service is temporarily unavailable, for instance while its database cannot be reached. */
    readonly ServiceUnavailable: {
      headers: {
        readonly 'Retry-After': components['headers']['Retry-After'];
        readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
        readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
        readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
        readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        readonly 'X-Request-Id': components['headers']['X-Request-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['ServiceUnavailableError'];
      };
    };
  };
  parameters: {
    /**
     * @description Case-insensitive substring of title or handle, for all of Unicode (`É` = `é`). `%`, `_` and `\` are ordinary characters. Empty text
     *     matches everything.
     * @example mug
     */
    readonly q: string;
    /**
     * @description Only products in this state, spelled exactly so.
     * @example ACTIVE
     */
    readonly status: components['schemas']['ProductStatus'];
    /** @description Only products of this vendor, for instance `Atelier Émail`: exact, case-sensitive. */
    readonly vendor: string;
    /** @description Only products of this type, for instance `Mug`: exact, case-sensitive. */
    readonly product_type: string;
    /** @description Only products that carry this tag, for instance `handmade`: exact, case-sensitive. */
    readonly tag: string;
    /**
     * @description `true`: only published collections; `false`: only unpublished ones.
     * @example true
     */
    readonly published: boolean;
    /**
     * @description Only orders with this payment status in the CMS's own words: exact, case-sensitive.
     * @example PAID
     */
    readonly financial_status: string;
    /**
     * @description Only orders with this shipment status in the CMS's own words: exact, case-sensitive.
     * @example FULFILLED
     */
    readonly fulfillment_status: string;
    /**
     * @description How many objects a page holds at most, in decimal digits. Objects that are very large may leave room for fewer: at least one,
     *     and `has_more` says whether others follow.
     */
    readonly limit: number;
    /**
     * @description `next_cursor` of the previous page, given back as it came; leave it out for the first page. It belongs to the list and the
     *     filters that it was given out with, not to `limit`.
     */
    readonly cursor: string;
    /** @description `id` of the product as listProducts returns it, in any case. What is no UUID is no product: 404. */
    readonly productId: string;
    /** @description Entity tags that the client holds, as `ETag` gave them: one, a list, or `*`. Compared weakly; 304 when one of them is current. */
    readonly IfNoneMatch: string;
    /**
     * @description The caller's own name of the request, such as `checkout-7f3a.2`: 1 to 128 letters, digits, dots, underscores and dashes. Anything else is ignored, and the
     *     request is given a name.
     */
    readonly XRequestId: string;
  };
  requestBodies: never;
  headers: {
    /**
     * @description Strong entity tag of the representation; changes with anything that the body is made of.
     * @example "r1Vh3kZq0yTn5sWbXc7Lm9PdA"
     */
    readonly ETag: string;
    /**
     * @description May be stored; revalidate it with its entity tag each time.
     * @example private, no-cache, must-revalidate
     */
    readonly 'Cache-Control': 'private, no-cache, must-revalidate';
    /**
     * @description The contents depend on the credential, the encoding on those that the client accepts (br, gzip).
     * @example Authorization, Accept-Encoding
     */
    readonly Vary: string;
    /**
     * @description Requests allowed per window of 60 seconds, for all calls of one key over REST and GraphQL.
     * @example 120
     */
    readonly 'RateLimit-Limit': number;
    /**
     * @description Requests left in this window. A response that counts in no window, such as that of an unknown path, shows an unused one.
     * @example 119
     */
    readonly 'RateLimit-Remaining': number;
    /**
     * @description Whole seconds until the window ends, rounded up.
     * @example 60
     */
    readonly 'RateLimit-Reset': number;
    /**
     * @description The limit and its window.
     * @example 120;w=60
     */
    readonly 'RateLimit-Policy': string;
    /**
     * @description The id of the request, the caller's own if it sent a valid one. Include it when you report a problem.
     * @example 9f1c2c54-0a35-4d39-8a4f-3d1f5d1a2b77
     */
    readonly 'X-Request-Id': string;
    /**
     * @description Names of query parameters that the operation does not have, percent-encoded and separated by commas: a misspelled filter does not
     *     filter. At most ten names of at most forty characters each; `...` stands for what was cut. Absent when there are none.
     * @example stauts, page
     */
    readonly 'Ignored-Parameters': string;
    /**
     * @description Whole seconds to wait before the next attempt.
     * @example 17
     */
    readonly 'Retry-After': number;
    /**
     * @description Bearer challenge with the address of the protected-resource metadata (RFC 9728), and with `error="invalid_token"` when a
     *     credential was refused.
     * @example Bearer realm="Catalog API", resource_metadata="https://api.catalog.example/.well-known/oauth-protected-resource/v1"
     */
    readonly 'WWW-Authenticate': string;
    /**
     * @description `FORBIDDEN`: Bearer challenge with `error="insufficient_scope"` and the `scope` that is needed (RFC 6750). `RATE_LIMITED`: that of
     *     the 401, if the credential was refused. Otherwise absent.
     * @example Bearer realm="Catalog API", error="insufficient_scope", scope="orders:read", resource_metadata="https://api.catalog.example/.well-known/oauth-protected-resource/v1"
     */
    readonly Challenge: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readonly getShop: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description Entity tags that the client holds, as `ETag` gave them: one, a list, or `*`. Compared weakly; 304 when one of them is current. */
        readonly 'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description The caller's own name of the request, such as `checkout-7f3a.2`: 1 to 128 letters, digits, dots, underscores and dashes. Anything else is ignored, and the
         *     request is given a name.
         */
        readonly 'X-Request-Id'?: components['parameters']['XRequestId'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The connected shop. */
      readonly 200: {
        headers: {
          readonly ETag: components['headers']['ETag'];
          readonly 'Cache-Control': components['headers']['Cache-Control'];
          readonly Vary: components['headers']['Vary'];
          readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
          readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
          readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
          readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          readonly 'X-Request-Id': components['headers']['X-Request-Id'];
          readonly 'Ignored-Parameters': components['headers']['Ignored-Parameters'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ShopEnvelope'];
        };
      };
      readonly 304: components['responses']['NotModified'];
      readonly 400: components['responses']['BadUserInput'];
      readonly 401: components['responses']['Unauthorized'];
      readonly 403: components['responses']['Forbidden'];
      readonly 429: components['responses']['RateLimited'];
      readonly 500: components['responses']['InternalServerError'];
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly listProducts: {
    readonly parameters: {
      readonly query?: {
        /**
         * @description Case-insensitive substring of title or handle, for all of Unicode (`É` = `é`). `%`, `_` and `\` are ordinary characters. Empty text
         *     matches everything.
         * @example mug
         */
        readonly q?: components['parameters']['q'];
        /**
         * @description Only products in this state, spelled exactly so.
         * @example ACTIVE
         */
        readonly status?: components['parameters']['status'];
        /** @description Only products of this vendor, for instance `Atelier Émail`: exact, case-sensitive. */
        readonly vendor?: components['parameters']['vendor'];
        /** @description Only products of this type, for instance `Mug`: exact, case-sensitive. */
        readonly product_type?: components['parameters']['product_type'];
        /** @description Only products that carry this tag, for instance `handmade`: exact, case-sensitive. */
        readonly tag?: components['parameters']['tag'];
        /**
         * @description How many objects a page holds at most, in decimal digits. Objects that are very large may leave room for fewer: at least one,
         *     and `has_more` says whether others follow.
         */
        readonly limit?: components['parameters']['limit'];
        /**
         * @description `next_cursor` of the previous page, given back as it came; leave it out for the first page. It belongs to the list and the
         *     filters that it was given out with, not to `limit`.
         */
        readonly cursor?: components['parameters']['cursor'];
      };
      readonly header?: {
        /** @description Entity tags that the client holds, as `ETag` gave them: one, a list, or `*`. Compared weakly; 304 when one of them is current. */
        readonly 'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description The caller's own name of the request, such as `checkout-7f3a.2`: 1 to 128 letters, digits, dots, underscores and dashes. Anything else is ignored, and the
         *     request is given a name.
         */
        readonly 'X-Request-Id'?: components['parameters']['XRequestId'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of products. */
      readonly 200: {
        headers: {
          readonly ETag: components['headers']['ETag'];
          readonly 'Cache-Control': components['headers']['Cache-Control'];
          readonly Vary: components['headers']['Vary'];
          readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
          readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
          readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
          readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          readonly 'X-Request-Id': components['headers']['X-Request-Id'];
          readonly 'Ignored-Parameters': components['headers']['Ignored-Parameters'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ProductPage'];
        };
      };
      readonly 304: components['responses']['NotModified'];
      readonly 400: components['responses']['BadUserInput'];
      readonly 401: components['responses']['Unauthorized'];
      readonly 403: components['responses']['Forbidden'];
      readonly 429: components['responses']['RateLimited'];
      readonly 500: components['responses']['InternalServerError'];
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getProduct: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description Entity tags that the client holds, as `ETag` gave them: one, a list, or `*`. Compared weakly; 304 when one of them is current. */
        readonly 'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description The caller's own name of the request, such as `checkout-7f3a.2`: 1 to 128 letters, digits, dots, underscores and dashes. Anything else is ignored, and the
         *     request is given a name.
         */
        readonly 'X-Request-Id'?: components['parameters']['XRequestId'];
      };
      readonly path: {
        /** @description `id` of the product as listProducts returns it, in any case. What is no UUID is no product: 404. */
        readonly productId: components['parameters']['productId'];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description One product with its variants. */
      readonly 200: {
        headers: {
          readonly ETag: components['headers']['ETag'];
          readonly 'Cache-Control': components['headers']['Cache-Control'];
          readonly Vary: components['headers']['Vary'];
          readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
          readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
          readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
          readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          readonly 'X-Request-Id': components['headers']['X-Request-Id'];
          readonly 'Ignored-Parameters': components['headers']['Ignored-Parameters'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ProductEnvelope'];
        };
      };
      readonly 304: components['responses']['NotModified'];
      readonly 400: components['responses']['BadUserInput'];
      readonly 401: components['responses']['Unauthorized'];
      readonly 403: components['responses']['Forbidden'];
      readonly 404: components['responses']['NotFound'];
      readonly 429: components['responses']['RateLimited'];
      readonly 500: components['responses']['InternalServerError'];
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly listCollections: {
    readonly parameters: {
      readonly query?: {
        /**
         * @description `true`: only published collections; `false`: only unpublished ones.
         * @example true
         */
        readonly published?: components['parameters']['published'];
        /**
         * @description How many objects a page holds at most, in decimal digits. Objects that are very large may leave room for fewer: at least one,
         *     and `has_more` says whether others follow.
         */
        readonly limit?: components['parameters']['limit'];
        /**
         * @description `next_cursor` of the previous page, given back as it came; leave it out for the first page. It belongs to the list and the
         *     filters that it was given out with, not to `limit`.
         */
        readonly cursor?: components['parameters']['cursor'];
      };
      readonly header?: {
        /** @description Entity tags that the client holds, as `ETag` gave them: one, a list, or `*`. Compared weakly; 304 when one of them is current. */
        readonly 'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description The caller's own name of the request, such as `checkout-7f3a.2`: 1 to 128 letters, digits, dots, underscores and dashes. Anything else is ignored, and the
         *     request is given a name.
         */
        readonly 'X-Request-Id'?: components['parameters']['XRequestId'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of collections. */
      readonly 200: {
        headers: {
          readonly ETag: components['headers']['ETag'];
          readonly 'Cache-Control': components['headers']['Cache-Control'];
          readonly Vary: components['headers']['Vary'];
          readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
          readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
          readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
          readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          readonly 'X-Request-Id': components['headers']['X-Request-Id'];
          readonly 'Ignored-Parameters': components['headers']['Ignored-Parameters'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CollectionPage'];
        };
      };
      readonly 304: components['responses']['NotModified'];
      readonly 400: components['responses']['BadUserInput'];
      readonly 401: components['responses']['Unauthorized'];
      readonly 403: components['responses']['Forbidden'];
      readonly 429: components['responses']['RateLimited'];
      readonly 500: components['responses']['InternalServerError'];
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly listOrders: {
    readonly parameters: {
      readonly query?: {
        /**
         * @description Only orders with this payment status in the CMS's own words: exact, case-sensitive.
         * @example PAID
         */
        readonly financial_status?: components['parameters']['financial_status'];
        /**
         * @description Only orders with this shipment status in the CMS's own words: exact, case-sensitive.
         * @example FULFILLED
         */
        readonly fulfillment_status?: components['parameters']['fulfillment_status'];
        /**
         * @description How many objects a page holds at most, in decimal digits. Objects that are very large may leave room for fewer: at least one,
         *     and `has_more` says whether others follow.
         */
        readonly limit?: components['parameters']['limit'];
        /**
         * @description `next_cursor` of the previous page, given back as it came; leave it out for the first page. It belongs to the list and the
         *     filters that it was given out with, not to `limit`.
         */
        readonly cursor?: components['parameters']['cursor'];
      };
      readonly header?: {
        /** @description Entity tags that the client holds, as `ETag` gave them: one, a list, or `*`. Compared weakly; 304 when one of them is current. */
        readonly 'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description The caller's own name of the request, such as `checkout-7f3a.2`: 1 to 128 letters, digits, dots, underscores and dashes. Anything else is ignored, and the
         *     request is given a name.
         */
        readonly 'X-Request-Id'?: components['parameters']['XRequestId'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of orders. */
      readonly 200: {
        headers: {
          readonly ETag: components['headers']['ETag'];
          readonly 'Cache-Control': components['headers']['Cache-Control'];
          readonly Vary: components['headers']['Vary'];
          readonly 'RateLimit-Limit': components['headers']['RateLimit-Limit'];
          readonly 'RateLimit-Remaining': components['headers']['RateLimit-Remaining'];
          readonly 'RateLimit-Reset': components['headers']['RateLimit-Reset'];
          readonly 'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          readonly 'X-Request-Id': components['headers']['X-Request-Id'];
          readonly 'Ignored-Parameters': components['headers']['Ignored-Parameters'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['OrderPage'];
        };
      };
      readonly 304: components['responses']['NotModified'];
      readonly 400: components['responses']['BadUserInput'];
      readonly 401: components['responses']['Unauthorized'];
      readonly 403: components['responses']['Forbidden'];
      readonly 429: components['responses']['RateLimited'];
      readonly 500: components['responses']['InternalServerError'];
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
}
