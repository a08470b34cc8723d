import type { Line } from '../../src/catalog/export/google-row';
import { columns, demanded, isLinkTemplate, toValues } from '../../src/catalog/export/google-row';
import { fc } from '../support/properties';

/* The rules of Google's product data specification, column by column, for any values that a shop can have. */

const product = {
  type: 'product',
  id: '8c1ec063-a88b-4381-b654-08d69a85114e',
  title: 'Enamel Mug',
  handle: 'enamel-mug',
  vendor: 'Atelier Émail',
  product_type: 'Mugs',
  description_html: '<p>350&nbsp;ml of steel &amp; glass.</p>',
  image_url: 'https://images.example/mug.jpg',
  url: 'https://shop.example/products/enamel-mug',
  images: [],
  variant_count: 2,
};
const variant = {
  type: 'variant',
  id: '0b6f2a4e-1111-4222-8333-944445555666',
  external_id: '8001-1',
  sku: 'ATE-1',
  barcode: '4006381333931',
  price: '12',
  compare_at_price: null,
  inventory_quantity: 3,
  image_url: null,
  options: [{ name: 'Farbe', value: 'Cream' }],
};
const valuesOf = (changed: object = {}, own: object = {}, context: object = {}) =>
  toValues({ ...product, ...changed } as unknown as Line, { ...variant, ...own } as unknown as Line, {
    currency: 'EUR',
    link: undefined,
    ...context,
  });

const lengths: Readonly<Record<string, number>> = {
  ...{ id: 50, title: 150, description: 5_000, link: 2_000, image_link: 2_000, brand: 70, gtin: 14, mpn: 70 },
  ...{ item_group_id: 50, product_type: 750, color: 100, size: 100, material: 200, pattern: 100 },
};
const money = /^\d+(?:\.\d{2})? [A-Z]{3}$/;
const address = /^https?:\/\/[!-~]+$/;

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'\t\r\n\u2028"<>&;#x41 a😀'), maxLength: 300 }),
  fc.constantFrom('x'.repeat(9_000), '😀'.repeat(200)),
);
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 6 });
const url = fc.oneof(
  text,
  fc.webUrl({ withQueryParameters: true }),
  fc.constantFrom('https://a.example/a,b c/é.jpg', 'javascript:1', `https://a.example/${'x'.repeat(2_000)}`),
);
const amount = fc.oneof(
  fc.constantFrom('0', '0.00', '-1', '12', '12.5', '0.004', '19.999', '9007199254740993.01'),
  fc.nat(9_999).map((cents) => (cents / 100).toFixed(2)),
);
const anyProduct = fc.record({
  title: text,
  handle: nullable(text),
  vendor: nullable(text),
  product_type: nullable(text),
  description_html: nullable(text),
  image_url: nullable(url),
  url: nullable(url),
  images: fc.array(fc.record({ url }), { maxLength: 20 }),
  variant_count: fc.integer({ min: 1, max: 3 }),
});
const anyVariant = fc.record({
  sku: nullable(text),
  barcode: nullable(fc.oneof(text, fc.stringMatching(/^\d{8,14}$/))),
  price: nullable(amount),
  compare_at_price: nullable(amount),
  inventory_quantity: nullable(fc.integer({ min: -2, max: 2 })),
  image_url: nullable(url),
  options: fc.array(
    fc.record({ name: fc.constantFrom('Color', 'Größe', 'TAILLE', 'Material', 'Title'), value: text }),
    { maxLength: 3 },
  ),
});

it('follows each rule of each column, whatever the shop has', () => {
  fc.assert(
    fc.property(anyProduct, anyVariant, fc.constantFrom('EUR', 'JPY', 'KWD', null), (changed, own, currency) => {
      const values = valuesOf(changed, own, { currency });
      expect(Object.keys(values).filter((name) => !columns.includes(name))).toEqual([]);
      for (const [name, value = ''] of Object.entries(values)) {
        expect(value).toBe(value.trim());
        expect(value).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(Array.from(value).length).toBeLessThanOrEqual(lengths[name] ?? Infinity);
      }
      const links = [
        values['link'],
        values['image_link'],
        ...((values['additional_image_link'] || undefined)?.split(',') ?? []),
      ];
      for (const link of links) if (link !== undefined) expect(link).toMatch(address);
      expect(links.length).toBeLessThanOrEqual(12);
      expect(new Set(links.slice(1)).size).toBe(links.length - 1);
      expect(['in_stock', 'out_of_stock']).toContain(values['availability']);
      const { price, sale_price: sale } = values;
      const form = currency === 'JPY' ? /^\d+ JPY$/ : currency === 'KWD' ? /^\d+\.\d{3} KWD$/ : money;
      for (const each of [price, sale]) if (each !== undefined) expect(each).toMatch(form);
      if (price !== undefined) expect(parseFloat(price)).toBeGreaterThan(0);
      if (sale !== undefined) expect(parseFloat(sale)).toBeLessThan(parseFloat(price as string));
      if (currency === null) expect(price).toBeUndefined();
      if (values['gtin'] !== undefined) expect(values['gtin']).toMatch(/^(?:\d{8}|\d{12,14})$/);
      const isIdentified = values['gtin'] !== undefined || (values['brand'] !== '' && values['mpn'] !== '');
      expect(values['identifier_exists']).toBe(isIdentified ? 'yes' : 'no');
      expect(values['item_group_id'] !== undefined).toBe(changed.variant_count > 1);
    }),
    { numRuns: 200 },
  );
});

it('has the values of a variant', () => {
  expect(valuesOf({}, { compare_at_price: '15.5' })).toMatchObject({
    title: 'Enamel Mug Cream',
    description: '350 ml of steel & glass.',
    link: 'https://shop.example/products/enamel-mug',
    availability: 'in_stock',
    price: '15.50 EUR',
    sale_price: '12.00 EUR',
    brand: 'Atelier Émail',
    gtin: '4006381333931',
    mpn: 'ATE-1',
    color: 'Cream',
  });
});

it.each([
  ['4006381333931', true],
  ['4006381333932', false],
  ['036000291452', true],
  ['96385074', true],
  ['10012345678902', true],
  ['4 006381-333931', true],
  ['2012345678900', false],
  ['0000000000000', false],
  ['ATE-1', false],
])('the barcode %s is a GTIN: %s', (barcode, isGtin) => {
  expect(valuesOf({}, { barcode })['gtin'] !== undefined).toBe(isGtin);
});

it.each([
  ['<p>One</p><p>two &amp; <b>th</b>ree</p>', 'One two & three'],
  ['a < b &lt;i&gt; &#8364; &unknown;', 'a < b <i> € &unknown;'],
  ['x<script>if (a < b) alert("</p>")</script><style>p{}</style>y<!-- <b> -->z', 'x y z'],
  ['the <Constructor> pattern', 'the pattern'],
  ['<ul><li>a<li>b</ul>\n\tc<br/>d', 'a b c d'],
  ['open <a href="', 'open'],
])('the description %j reads %j', (html, read) => {
  expect(valuesOf({ description_html: html })['description']).toBe(read);
});

it('reads hostile descriptions in linear time', () => {
  for (const part of ['<', '<script', '<!--', '<a ', '</script', '&#', '<style><script>']) {
    const html = part.repeat(300_000 / part.length);
    expect(typeof valuesOf({ description_html: html })['description']).toBe('string');
  }
});

it.each([
  [{ title: ' ' }, {}, 'title'],
  [{ description_html: '<p> </p>' }, {}, 'description'],
  [{ url: null }, {}, 'link'],
  [{ image_url: 'mug.jpg' }, {}, 'image_link'],
  [{}, { price: '0' }, 'price'],
])('%j and %j lack %s', (changed, own, lacking) => {
  const values = valuesOf(changed, own);
  expect(demanded.filter((name) => !values[name])).toEqual([lacking]);
});

it.each([
  ['https://shop.example/p/{handle}', true],
  ['https://shop.example/p/{handle}?variant={variant}', true],
  ['https://shop.example/p/', false],
  ['/p/{handle}', false],
  ['javascript:{handle}', false],
])('the template %s is one: %s', (template, isOne) => {
  expect(isLinkTemplate(template)).toBe(isOne);
  if (isOne) expect(valuesOf({ handle: 'a b/é' }, {}, { link: template })['link']).toContain('/p/a%20b%2F%C3%A9');
});
