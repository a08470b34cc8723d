-- The longest values that columns take, in bytes of UTF-8 (docs/decisions.md 42; src/catalog/model.ts for the importer): far beyond
-- what shops have, and small enough that every row fits in one answer.
--
-- NOT VALID: rows that are there already are not looked at, so this takes no time and refuses nothing on the way. They go on being
-- answered, and every new or changed row is held to the bounds; docs/operations.md says how to find rows beyond them.

ALTER TABLE shops
  ADD CONSTRAINT shops_domain_length_check CHECK (octet_length(domain) <= 2000) NOT VALID,
  ADD CONSTRAINT shops_name_length_check CHECK (octet_length(name) <= 10000) NOT VALID,
  ADD CONSTRAINT shops_platform_length_check CHECK (octet_length(platform) <= 2000) NOT VALID,
  ADD CONSTRAINT shops_plan_status_length_check CHECK (octet_length(plan_status) <= 2000) NOT VALID;

ALTER TABLE products
  ADD CONSTRAINT products_external_id_length_check CHECK (octet_length(external_id) <= 2000) NOT VALID,
  ADD CONSTRAINT products_title_length_check CHECK (octet_length(title) <= 10000) NOT VALID,
  ADD CONSTRAINT products_handle_length_check CHECK (octet_length(handle) <= 10000) NOT VALID,
  ADD CONSTRAINT products_vendor_length_check CHECK (octet_length(vendor) <= 2000) NOT VALID,
  ADD CONSTRAINT products_product_type_length_check CHECK (octet_length(product_type) <= 2000) NOT VALID,
  ADD CONSTRAINT products_description_html_length_check CHECK (octet_length(description_html) <= 1048576) NOT VALID,
  ADD CONSTRAINT products_seo_title_length_check CHECK (octet_length(seo_title) <= 10000) NOT VALID,
  ADD CONSTRAINT products_seo_description_length_check CHECK (octet_length(seo_description) <= 65536) NOT VALID,
  ADD CONSTRAINT products_image_url_length_check CHECK (octet_length(image_url) <= 8192) NOT VALID,
  ADD CONSTRAINT products_min_price_length_check CHECK (octet_length(min_price) <= 1000) NOT VALID,
  ADD CONSTRAINT products_max_price_length_check CHECK (octet_length(max_price) <= 1000) NOT VALID,
  ADD CONSTRAINT products_tags_length_check CHECK (
    cardinality(tags) <= 1000 AND octet_length(array_to_string(tags, '')) <= 65536) NOT VALID,
  -- Some characters take more bytes as JSON: half of an answer, because a page of one row reads a second to see whether there is one.
  ADD CONSTRAINT products_row_length_check CHECK (octet_length(rest_json) <= 4194304) NOT VALID;

ALTER TABLE variants
  ADD CONSTRAINT variants_external_id_length_check CHECK (octet_length(external_id) <= 2000) NOT VALID,
  ADD CONSTRAINT variants_title_length_check CHECK (octet_length(title) <= 10000) NOT VALID,
  ADD CONSTRAINT variants_sku_length_check CHECK (octet_length(sku) <= 10000) NOT VALID,
  ADD CONSTRAINT variants_barcode_length_check CHECK (octet_length(barcode) <= 10000) NOT VALID,
  ADD CONSTRAINT variants_price_length_check CHECK (octet_length(price) <= 1000) NOT VALID,
  ADD CONSTRAINT variants_compare_at_price_length_check CHECK (octet_length(compare_at_price) <= 1000) NOT VALID,
  ADD CONSTRAINT variants_cost_price_length_check CHECK (octet_length(cost_price) <= 1000) NOT VALID,
  ADD CONSTRAINT variants_weight_length_check CHECK (octet_length(weight) <= 1000) NOT VALID,
  ADD CONSTRAINT variants_weight_unit_length_check CHECK (octet_length(weight_unit) <= 2000) NOT VALID,
  ADD CONSTRAINT variants_image_url_length_check CHECK (octet_length(image_url) <= 8192) NOT VALID,
  ADD CONSTRAINT variants_options_length_check CHECK (octet_length(options::text) <= 65536) NOT VALID;

ALTER TABLE collections
  ADD CONSTRAINT collections_external_id_length_check CHECK (octet_length(external_id) <= 2000) NOT VALID,
  ADD CONSTRAINT collections_title_length_check CHECK (octet_length(title) <= 10000) NOT VALID,
  ADD CONSTRAINT collections_handle_length_check CHECK (octet_length(handle) <= 10000) NOT VALID,
  ADD CONSTRAINT collections_description_html_length_check CHECK (octet_length(description_html) <= 1048576) NOT VALID,
  ADD CONSTRAINT collections_collection_type_length_check CHECK (octet_length(collection_type) <= 2000) NOT VALID,
  ADD CONSTRAINT collections_image_url_length_check CHECK (octet_length(image_url) <= 8192) NOT VALID,
  ADD CONSTRAINT collections_seo_title_length_check CHECK (octet_length(seo_title) <= 10000) NOT VALID,
  ADD CONSTRAINT collections_seo_description_length_check CHECK (octet_length(seo_description) <= 65536) NOT VALID,
  ADD CONSTRAINT collections_row_length_check CHECK (octet_length(rest_json) <= 4194304) NOT VALID;

ALTER TABLE orders
  ADD CONSTRAINT orders_external_id_length_check CHECK (octet_length(external_id) <= 2000) NOT VALID,
  ADD CONSTRAINT orders_order_number_length_check CHECK (octet_length(order_number) <= 10000) NOT VALID,
  ADD CONSTRAINT orders_customer_name_length_check CHECK (octet_length(customer_name) <= 10000) NOT VALID,
  ADD CONSTRAINT orders_total_price_length_check CHECK (octet_length(total_price) <= 1000) NOT VALID,
  ADD CONSTRAINT orders_subtotal_price_length_check CHECK (octet_length(subtotal_price) <= 1000) NOT VALID,
  ADD CONSTRAINT orders_total_tax_length_check CHECK (octet_length(total_tax) <= 1000) NOT VALID,
  ADD CONSTRAINT orders_total_shipping_length_check CHECK (octet_length(total_shipping) <= 1000) NOT VALID,
  ADD CONSTRAINT orders_financial_status_length_check CHECK (octet_length(financial_status) <= 2000) NOT VALID,
  ADD CONSTRAINT orders_fulfillment_status_length_check CHECK (octet_length(fulfillment_status) <= 2000) NOT VALID,
  ADD CONSTRAINT orders_tags_length_check CHECK (
    cardinality(tags) <= 1000 AND octet_length(array_to_string(tags, '')) <= 65536) NOT VALID;
