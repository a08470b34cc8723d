import { decodeEntities } from '../../common/html-entities';
import { isUrl } from '../../common/is-url';

type Text = string | null | undefined;

/** A product or a variant of an export. */
export type Line = Readonly<Record<string, Text>> & { readonly type: string };

/** Columns that every row has; `id`, `availability` and `identifier_exists` always have values. */
export const demanded = ['title', 'description', 'link', 'image_link', 'price'] as const;

const optionColumns = {
  color: /^(?:colou?r|farbe|couleur|colore?|kleur|färg|farve|kolor|cor|barva)$/i,
  size: /^(?:size|gr(?:ö|oe)(?:ß|ss)e|taille|talla|taglia|maat|storlek|størrelse|rozmiar|tamanho|velikost)$/i,
  material: /^(?:materiale?|matériau|matière|materiaal)$/i,
  pattern: /^(?:pattern|muster|motif)$/i,
} as const;

export const columns = [
  ...[
    'id',
    'title',
    'description',
    'link',
    'image_link',
    'additional_image_link',
    'availability',
    'price',
    'sale_price',
  ],
  ...['brand', 'gtin', 'mpn', 'identifier_exists', 'item_group_id', 'product_type', ...Object.keys(optionColumns)],
] as const;

/** Expected link template, for errors. */
export const linkExample = 'a URL with {handle} in it, such as https://shop.example/products/{handle}';

/** @returns whether it is a URL with `{handle}` in it */
export const isLinkTemplate = (text: string): boolean =>
  text.includes('{handle}') && toAddress(text.replaceAll(/\{(?:handle|variant)\}/g, 'x')) !== undefined;

interface FeedContext {
  readonly currency: Text;
  readonly link: string | undefined;
}

/** The values of a variant by column, none of them longer than the specification allows. */
export function toValues(
  product: Line,
  variant: Line,
  { currency, link }: FeedContext,
): Record<string, string | undefined> {
  const images = (product['images'] ?? []) as unknown as readonly { readonly url: string }[];
  const pictures = [variant['image_url'], product['image_url'], ...images.map(({ url }) => url)].map(toAddress);
  const [image, ...others] = [...new Set(pictures.filter((address) => address !== undefined))];
  const [price, before] = [variant['price'], variant['compare_at_price']].map((amount) => toMoney(amount, currency));
  const isReduced = price !== undefined && before !== undefined && parseFloat(before) > parseFloat(price);
  const brand = cut(product['vendor'], 70);
  const [gtin, sku] = [toGtin(variant['barcode']), clean(variant['sku'])];
  const mpn = sku.length > 70 ? '' : sku;
  const stock = variant['inventory_quantity'] as unknown as number | null;
  return {
    id: String(variant['id']),
    title: toTitle(product, variant),
    description: cut(toPlainText(product['description_html'] ?? ''), 5_000),
    link: toAddress(link === undefined ? product['url'] : fillIn(link, product['handle'], variant['external_id'])),
    image_link: image,
    additional_image_link: others
      .slice(0, 10)
      .map((address) => address.replaceAll(',', '%2C'))
      .join(','),
    availability: stock !== null && stock <= 0 ? 'out_of_stock' : 'in_stock',
    price: isReduced ? before : price,
    sale_price: isReduced ? price : undefined,
    brand,
    gtin,
    mpn,
    identifier_exists: gtin === undefined && (brand === '' || mpn === '') ? 'no' : 'yes',
    item_group_id: Number(product['variant_count']) > 1 ? String(product['id']) : undefined,
    product_type: cut(product['product_type'], 750),
    ...Object.fromEntries(
      Object.entries(optionColumns).map(([column, names]) => [
        column,
        cut(optionsOf(variant).find(({ name }) => names.test(name.trim()))?.value, 100),
      ]),
    ),
  };
}

interface Option {
  readonly name: string;
  readonly value: string;
}

const optionsOf = (variant: Line): readonly Option[] => (variant['options'] ?? []) as unknown as readonly Option[];

/** The option values of a variant are part of its title. */
function toTitle(product: Line, variant: Line): string {
  const options = Number(product['variant_count']) > 1 ? optionsOf(variant).map(({ value }) => value) : [];
  return clean(product['title']) && cut([product['title'], ...options].join(' '), 150);
}

/** On one line, because a line is a row. */
const clean = (text: Text): string => (text ?? '').replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
const cut = (text: Text, length: number): string => Array.from(clean(text)).slice(0, length).join('').trim();

const fillIn = (link: string, handle: Text, variant: Text): string | undefined =>
  handle
    ? link
        .replaceAll('{handle}', () => encodeURIComponent(handle))
        .replaceAll('{variant}', () => encodeURIComponent(variant ?? ''))
    : undefined;

/** As the specification requires: http or https, encoded, at most 2,000 characters. */
function toAddress(text: Text): string | undefined {
  if (!text || !isUrl(text)) return undefined;
  const { protocol, href } = new URL(text);
  return /^https?:$/.test(protocol) && href.length <= 2_000 ? href : undefined;
}

/** Formats with a currency's number of digits. Cached, because creating one takes longer than the rest of a row. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const { maximumFractionDigits: most } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const digits = { minimumFractionDigits: most, maximumFractionDigits: most };
  const format = new Intl.NumberFormat('en', { ...digits, useGrouping: false });
  formats.set(currency, format);
  return format;
}

/** Zero is not a price. */
function toMoney(amount: Text, currency: Text): string | undefined {
  if (!amount || !currency) return undefined;
  const text = (formats.get(currency) ?? formatOf(currency)).format(amount as Intl.StringNumericLiteral);
  return parseFloat(text) > 0 ? `${text} ${currency}` : undefined;
}

/** A barcode that is a GS1 number with a valid check digit, outside the ranges for internal numbers and coupons. */
function toGtin(barcode: Text): string | undefined {
  const digits = (barcode ?? '').replaceAll(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits)) return undefined;
  const whole = digits.padStart(14, '0');
  const sum = Array.from(whole).reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  const isOwn = digits.length === 8 ? /^[02]/.test(digits) : /^.(?:2|0[24]|9[89]|0+$)/.test(whole);
  return sum % 10 === 0 && !isOwn ? digits : undefined;
}

/** Elements that do not separate words. */
const inline = /^\/?(?:a|abbr|b|big|code|em|font|i|mark|s|small|span|strong|sub|sup|u)$/;

/** The content of these elements is not text. */
const ends = new Map(Object.entries({ '!--': /--(?=>)/g, script: /<\/script/gi, style: /<\/style/gi }));

/** More than is kept, to allow for character references and spaces. */
const mostText = 50_000;

/** Extracts the text of an HTML description in linear time. An unclosed tag ends it. */
function toPlainText(html: string): string {
  const tags = /<(\/?[a-z][a-z\d]*|!--|!)/giy;
  let text = '';
  for (let at = 0; text.length < mostText;) {
    const start = html.indexOf('<', at);
    text += html.slice(at, start === -1 ? undefined : start);
    if (start === -1) break;
    tags.lastIndex = start;
    const name = tags.exec(html)?.[1]?.toLowerCase();
    if (name === undefined) {
      text += '<';
      at = start + 1;
      continue;
    }
    const end = ends.get(name);
    if (end) end.lastIndex = start;
    const closed = html.indexOf('>', end ? (end.exec(html)?.index ?? html.length) : start);
    if (closed === -1) break;
    if (!inline.test(name)) text += ' ';
    at = closed + 1;
  }
  return decodeEntities(text);
}
