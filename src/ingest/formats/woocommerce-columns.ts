import type { ColumnNames } from './rules';

type NamedColumn = keyof typeof spellings;

export type WooColumn = NamedColumn | 'weight' | `attribute${number}Name` | `attribute${number}Values`;

/**
 * WooCommerce's column names in English, German, French, Spanish, Dutch and Russian, without accents and punctuation
 * (see `normalize`), keyed by the REST API's member if it has the value. The first one is reported when a column is
 * missing. Names of weight columns contain the unit.
 */
const spellings = {
  id: ['ID'],
  type: ['Type', 'Typ', 'Tipo', 'Тип'],
  sku: ['SKU', 'Artikelnummer', 'UGS', 'Артикул', 'Artikelnummer (SKU)', 'Artikelnummer/SKU'],
  global_unique_id: ['GTIN, UPC, EAN, or ISBN', 'GTIN, UPC, EAN oder ISBN', 'GTIN, UPC, EAN ou ISBN', 'GTIN, UPC, EAN o ISBN', 'GTIN, UPC, EAN of ISBN', 'GTIN, UPC, EAN или ISBN', 'GTIN, UPC, EAN or ISBN'],
  name: ['Name', 'Nom', 'Nombre', 'Naam', 'Имя', 'Название'],
  status: ['Published', 'Veröffentlicht', 'Publié', 'Publicado', 'Gepubliceerd', 'Опубликован', 'Опубликовано'],
  description: ['Description', 'Beschreibung', 'Descripción', 'Beschrijving', 'Описание'],
  date_on_sale_from_gmt: ['Date sale price starts', 'Datum, an dem Angebotspreis beginnt', 'Date de début de promo', 'Día en que empieza el precio rebajado', 'Startdatum actieprijs', 'Дата начала действия продажной цены', 'Дата начала распродажи'],
  date_on_sale_to_gmt: ['Date sale price ends', 'Datum, an dem Angebotspreis endet', 'Date de fin de promo', 'Día en que termina el precio rebajado', 'Einddatum actieprijs', 'Дата окончания действия продажной цены', 'Дата окончания распродажи'],
  stock_quantity: ['Stock', 'Lager', 'Bestand', 'Lagerbestand', 'Inventario', 'Voorraad', 'Запасы'],
  sale_price: ['Sale price', 'Angebotspreis', 'Tarif promo', 'Precio rebajado', 'Actieprijs', 'Цена распродажи', 'Акционная цена'],
  regular_price: ['Regular price', 'Regulärer Preis', 'Tarif régulier', 'Precio normal', 'Reguliere prijs', 'Базовая цена'],
  cost: ['Cost of goods'],
  categories: ['Categories', 'Kategorien', 'Catégories', 'Categorías', 'Categorieën', 'Категории'],
  tags: ['Tags', 'Schlagwörter', 'Étiquettes', 'Etiquetas', 'Метки'],
  images: ['Images', 'Bilder', 'Imágenes', 'Afbeeldingen', 'Изображения'],
  parent_id: ['Parent', 'Übergeordnetes Produkt', 'Übergeordnet', 'Superior', 'Hoofd', 'Родительский', 'Родитель'],
  menu_order: ['Position', 'Posición', 'Positie', 'Позиция'],
  brands: ['Brands', 'Marken', 'Marques', 'Marcas', 'Merken', 'Бренды'],
  seoTitle: ['Meta: _yoast_wpseo_title'],
  seoTitleOther: ['Meta: rank_math_title'],
  seoDescription: ['Meta: _yoast_wpseo_metadesc'],
  seoDescriptionOther: ['Meta: rank_math_description'],
}; // prettier-ignore

/** The names of all columns, the English one first. */
export const columnSpellings: ColumnNames<WooColumn> = { ...spellings, weight: ['Weight (kg)'] };

/** The columns that are reported when missing; the others come from plugins, or are used by few shops. */
const expected: readonly (NamedColumn | 'weight')[] = ['id', 'sku', 'status', 'description', 'stock_quantity', 'weight', 'sale_price', 'regular_price', 'categories', 'tags', 'images', 'parent_id']; // prettier-ignore

/**
 * Normalizes a name for comparison: accents, apostrophes, kinds of whitespace, case and a trailing question mark are
 * ignored.
 */
const normalize = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[’ʼ´`]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/ ?\?$/, '')
    .trim()
    .toLowerCase();

const columnOf = new Map(
  Object.entries(spellings).flatMap(([column, names]) =>
    names.map((name): [string, WooColumn] => [normalize(name), column as WooColumn]),
  ),
);

const weightName = /^(?:weight|gewicht|poids|peso|вес) ?\(/;

/** `Attribute 1 name`, `Attribut 1 Name`, `Nom de l'attribut 1`; normalized. */
const attributeWord = /attribut|atribut|атрибут/;
const nameWord = /name|nom|naam|назван|имя/;
const valuesWord = /value|wert|valeur|valor|waarde|значени/;

/**
 * The columns of a complete export, as the exporter writes it in every language, without the GTIN that older versions
 * lack.
 */
const order: readonly (WooColumn | null)[] = [
  'id', 'type', 'sku', 'name', 'status', null, null, null, 'description', 'date_on_sale_from_gmt', 'date_on_sale_to_gmt', null, null, null, 'stock_quantity', null, null, null,
  'weight', null, null, null, null, null, 'sale_price', 'regular_price', 'categories', 'tags', null, 'images', null, null, 'parent_id', null,
  null, null, null, null, 'menu_order',
]; // prettier-ignore

const gtinPosition = 3;
const weightPosition = order.indexOf('weight');

/** Weight, length, width and height: the only columns whose names end in a unit. */
const isDimension = (name: string | undefined): boolean => /\([^()]{1,12}\)$/.test(name?.trim() ?? '');

/** The columns of a complete export in any language, by position; undefined for all other headers. */
function columnsByPosition(header: readonly string[]): readonly (WooColumn | null)[] | undefined {
  const start = [weightPosition, weightPosition + 1].find(
    (at) => [0, 1, 2, 3].every((offset) => isDimension(header[at + offset])) && !isDimension(header[at - 1]),
  );
  if (start === undefined) return undefined;
  const all = start === weightPosition ? order : order.toSpliced(gtinPosition, 0, 'global_unique_id');
  return header.length >= all.length && normalize(header[0] ?? '') === 'id' ? all : undefined;
}

/** Finds each column in a header, by its name in any language or by its position in a complete export. */
export function findColumns(header: readonly string[]): ReadonlyMap<WooColumn, number> {
  const found = new Map<WooColumn, number>();
  const names = header.map(normalize);
  names.forEach((name, index) => {
    const column = columnOf.get(name) ?? (weightName.test(name) ? 'weight' : undefined);
    if (column !== undefined && !found.has(column)) found.set(column, index);
  });
  const taken = new Set(found.values());
  columnsByPosition(header)?.forEach((column, index) => {
    if (column !== null && !found.has(column) && !taken.has(index)) found.set(column, index);
  });
  addAttributes(found, names);
  return found;
}

/**
 * The attribute columns, whose names contain the attribute's number. In unknown languages there are four or five
 * consecutive columns (name, values, visible, global, default); downloads have three.
 */
function addAttributes(found: Map<WooColumn, number>, names: readonly string[]): void {
  const isFree = (name: string): boolean => !name.startsWith('meta:') && !columnOf.has(name);
  names.forEach((name, index) => {
    const number = isFree(name) ? numberIn(name) : undefined;
    if (number === undefined || !attributeWord.test(name)) return;
    // "Attribut 1 Name" and "Nom de l'attribut 1"; "Attribute 1 value(s)" comes first, because it has no word for name.
    const rest = name.replace(attributeWord, '');
    const column = valuesWord.test(rest) ? 'Values' : nameWord.test(rest) ? 'Name' : undefined;
    if (column !== undefined && !found.has(`attribute${number}${column}`))
      found.set(`attribute${number}${column}`, index);
  });
  for (let start = 0; start < names.length;) {
    const number = isFree(names[start] ?? '') ? numberIn(names[start] ?? '') : undefined;
    let end = start + 1;
    while (number !== undefined && end < names.length && numberIn(names[end] ?? '') === number) end += 1;
    if (number !== undefined && (end - start === 4 || end - start === 5) && !found.has(`attribute${number}Name`)) {
      found.set(`attribute${number}Name`, start);
      found.set(`attribute${number}Values`, start + 1);
    }
    start = end;
  }
}

const maxAttributes = 1000;

/** The only number in a name. */
function numberIn(name: string): number | undefined {
  const [number, ...others] = name.match(/\d+/g) ?? [];
  return number === undefined || others.length > 0 || Number(number) > maxAttributes ? undefined : Number(number);
}

/** The numbers of the attributes, in order. */
export const attributeNumbers = (found: ReadonlyMap<WooColumn, number>): readonly number[] =>
  [...found.keys()]
    .flatMap((column) => {
      const number = /^attribute(\d+)Name$/.exec(column)?.[1];
      return number !== undefined && found.has(`attribute${Number(number)}Values`) ? [Number(number)] : [];
    })
    .sort((a, b) => a - b);

/** The column names of this file, with English names for those that it lacks. */
export function toColumnNames(
  header: readonly string[],
  found: ReadonlyMap<WooColumn, number>,
): ColumnNames<WooColumn> {
  const missing: [WooColumn, readonly string[]][] = expected
    .filter((column) => !found.has(column))
    .map((column) => [column, [column === 'weight' ? 'Weight (kg)' : (spellings[column][0] ?? column)]]);
  for (const column of found.keys()) {
    const [, number, half] = /^attribute(\d+)(Name|Values)$/.exec(column) ?? [];
    const other: WooColumn = half === 'Name' ? `attribute${Number(number)}Values` : `attribute${Number(number)}Name`;
    if (half !== undefined && !found.has(other)) missing.push([other, [`Attribute ${number} ${half === 'Name' ? 'value(s)' : 'name'}`]]); // prettier-ignore
  }
  const present = [...found].map(([column, index]) => [column, [header[index]?.trim() ?? '']]);
  return Object.fromEntries([...present, ...missing]) as ColumnNames<WooColumn>;
}

/** Types that come with WooCommerce or with widely used plugins. */
const typeCell =
  /^(?:simple|variable|variation|grouped|external|subscription|variable-subscription|subscription_variation|bundle|composite|booking)(?:, ?(?:downloadable|virtual))*$/;

/**
 * What the first rows lack for a product export. Many tables have ids, names and types: only this export has one of the
 * columns in `own`, and its types are not translated.
 */
export function absentFromExport(sample: readonly (readonly string[])[]) {
  const [header = [], ...rows] = sample;
  const found = findColumns(header);
  const needed: readonly (readonly WooColumn[])[] = [['type'], ['name'], ['id', 'sku'], own];
  const absent = needed
    .filter((columns) => !columns.some((column) => found.has(column)))
    .map((columns) => columns.map((column) => columnSpellings[column]?.[0] ?? 'Attribute 1 name'));
  const type = found.get('type');
  const isOther = type !== undefined && rows.length > 0 && !rows.some((cells) => typeCell.test(cells[type]?.trim() ?? '')); // prettier-ignore
  return isOther ? [...absent, 'Type with words such as simple, variable and variation'] : absent;
}

const own: readonly WooColumn[] = ['status', 'regular_price', 'attribute1Name'];
