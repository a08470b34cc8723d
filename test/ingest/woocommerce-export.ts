/**
 * A product as these tests write and expect it. With attributes, its variants are variations; without, its only variant
 * is the product itself.
 */
export interface WooProduct {
  readonly id: string;
  readonly sku: string | null;
  readonly title: string;
  readonly published: string;
  readonly vendor: string | null;
  readonly categories: readonly (readonly string[])[];
  readonly tags: readonly string[];
  readonly description: string | null;
  readonly image: string | null;
  readonly attributes: readonly string[];
  readonly variants: readonly WooVariant[];
}

interface WooVariant {
  readonly id: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly price: string | null;
  readonly compareAtPrice: string | null;
  readonly stock: string | null;
  readonly weight: string | null;
  readonly image: string | null;
  /** Null stands for any value of the attribute. */
  readonly options: readonly (string | null)[];
}

/** All columns of the exporter, in its order. `fi` represents the languages that are recognized by position only. */
const headers = {
  en: 'ID|Type|SKU|GTIN, UPC, EAN, or ISBN|Name|Published|Is featured?|Visibility in catalog|Short description|Description|Date sale price starts|Date sale price ends|Tax status|Tax class|In stock?|Stock|Low stock amount|Backorders allowed?|Sold individually?|Weight (kg)|Length (cm)|Width (cm)|Height (cm)|Allow customer reviews?|Purchase note|Sale price|Regular price|Categories|Tags|Shipping class|Images|Download limit|Download expiry days|Parent|Grouped products|Upsells|Cross-sells|External URL|Button text|Position|Brands',
  de: 'ID|Typ|Artikelnummer|GTIN, UPC, EAN oder ISBN|Name|Veröffentlicht|Ist hervorgehoben?|Sichtbarkeit im Katalog|Kurzbeschreibung|Beschreibung|Datum, an dem Angebotspreis beginnt|Datum, an dem Angebotspreis endet|Steuerstatus|Steuerklasse|Vorrätig?|Bestand|Geringe Lagermenge|Lieferrückstände erlaubt?|Nur einzeln verkaufen?|Gewicht (kg)|Länge (cm)|Breite (cm)|Höhe (cm)|Kundenrezensionen erlauben?|Hinweis zum Kauf|Angebotspreis|Regulärer Preis|Kategorien|Schlagwörter|Versandklasse|Bilder|Downloadlimit|Ablauftage des Downloads|Übergeordnetes Produkt|Gruppierte Produkte|Zusatzverkäufe|Cross-Sells|Externe URL|Button-Text|Position|Marken',
  fr: 'ID|Type|UGS|GTIN, UPC, EAN ou ISBN|Nom|Publié|Mis en avant\u00a0?|Visibilité dans le catalogue|Description courte|Description|Date de début de promo|Date de fin de promo|État de la TVA|Classe de TVA|En stock\u00a0?|Stock|Montant de stock faible|Autoriser les commandes\u00a0?|Vendre individuellement\u00a0?|Poids (kg)|Longueur (cm)|Largeur (cm)|Hauteur (cm)|Autoriser les avis\u00a0?|Note de commande|Tarif promo|Tarif régulier|Catégories|Étiquettes|Classe d’expédition|Images|Limite|Jours|Parent|Groupes|Suggérés|Croisés|URL externe|Libellé|Position|Marques',
  es: 'ID|Tipo|SKU|GTIN, UPC, EAN o ISBN|Nombre|Publicado|¿Destacado?|Visibilidad en el catálogo|Descripción corta|Descripción|Día en que empieza el precio rebajado|Día en que termina el precio rebajado|Impuesto|Clase de impuesto|¿Existencias?|Inventario|Cantidad baja|¿Reservas?|¿Individual?|Peso (kg)|Longitud (cm)|Anchura (cm)|Altura (cm)|¿Valoraciones?|Nota|Precio rebajado|Precio normal|Categorías|Etiquetas|Clase de envío|Imágenes|Límite|Días|Superior|Agrupados|Dirigidas|Cruzadas|URL externa|Botón|Posición|Marcas',
  nl: 'ID|Type|Artikelnummer|GTIN, UPC, EAN of ISBN|Naam|Gepubliceerd|Uitgelicht?|Zichtbaarheid in catalogus|Korte beschrijving|Beschrijving|Startdatum actieprijs|Einddatum actieprijs|Btw-status|Belastingklasse|Op voorraad?|Voorraad|Lage voorraad|Nabestellen?|Individueel?|Gewicht (kg)|Lengte (cm)|Breedte (cm)|Hoogte (cm)|Beoordelingen?|Notitie|Actieprijs|Reguliere prijs|Categorieën|Tags|Verzendklasse|Afbeeldingen|Limiet|Dagen|Hoofd|Gegroepeerd|Upsells|Cross-sells|Externe URL|Knop|Positie|Merken',
  ru: 'ID|Тип|Артикул|GTIN, UPC, EAN или ISBN|Имя|Опубликован|Рекомендуемый?|Видимость в каталоге|Краткое описание|Описание|Дата начала действия продажной цены|Дата окончания|Статус налога|Налоговый класс|Наличие?|Запасы|Малое количество|Предзаказ?|Индивидуально?|Вес (kg)|Длина (cm)|Ширина (cm)|Высота (cm)|Отзывы?|Примечание|Цена распродажи|Базовая цена|Категории|Метки|Класс доставки|Изображения|Лимит|Дней|Родительский|Сгруппированные|Апсейл|Кросселы|Внешний URL|Кнопка|Позиция|Бренды',
  fi: 'ID|Tyyppi|Tuotetunnus|GTIN, UPC, EAN tai ISBN|Otsikko|Julkaistu|Esittelyssä?|Näkyvyys|Lyhyt kuvaus|Kuvaus|Alkaa|Päättyy|Vero|Veroluokka|Varastossa?|Varasto|Vähissä|Jälkitoimitus?|Yksittäin?|Paino (kg)|Pituus (cm)|Leveys (cm)|Korkeus (cm)|Arvostelut?|Huomautus|Alennushinta|Normaalihinta|Osastot|Avainsanat|Toimitusluokka|Kuvat|Latausraja|Päivät|Päätuote|Ryhmä|Lisämyynti|Ristiin|Osoite|Painike|Sijainti|Brands',
} as const; // prettier-ignore

export type Language = keyof typeof headers;
export const languages = Object.keys(headers) as Language[];

const attributeNames: Readonly<Record<Language, (number: number) => readonly string[]>> = {
  en: (n) => [`Attribute ${n} name`, `Attribute ${n} value(s)`, `Attribute ${n} visible`, `Attribute ${n} global`],
  de: (n) => [`Attribut ${n} Name`, `Attribut ${n} Wert(e)`, `Attribut ${n} Sichtbar`, `Attribut ${n} Global`],
  fr: (n) => [`Nom de l’attribut ${n}`, `Valeur(s) de l’attribut ${n}`, `Attribut ${n} visible`, `Attribut ${n} global`, `Attribut ${n} par défaut`],
  es: (n) => [`Nombre del atributo ${n}`, `Valor(es) del atributo ${n}`, `Atributo visible ${n}`, `Atributo global ${n}`],
  nl: (n) => [`Attribuut ${n} naam`, `Attribuut ${n} waarde(n)`, `Attribuut ${n} zichtbaar`, `Attribuut ${n} globaal`],
  ru: (n) => [`Название атрибута ${n}`, `Значения атрибутов ${n}`, `Видимость атрибута ${n}`, `Глобальный атрибут ${n}`],
  fi: (n) => [`Ominaisuuden ${n} otsikko`, `Ominaisuuden ${n} arvo(t)`, `Ominaisuus ${n} näkyvissä`, `Ominaisuus ${n} yleinen`],
}; // prettier-ignore

interface WriteOptions {
  readonly decimal?: '.' | ',';
  readonly parentsBySku?: boolean;
  /** If odd, variations come before all products, the last one first. */
  readonly shuffle?: number;
}

export function writeRows(
  language: Language,
  products: readonly WooProduct[],
  { decimal = '.', parentsBySku = false, shuffle = 0 }: WriteOptions = {},
): string[][] {
  const columns = headers[language].split('|');
  const attributes = [1, 2].flatMap((number) => attributeNames[language](number));
  const header = [...columns, ...attributes, 'Meta: _internal'];
  const english = headers.en.split('|');
  const toRow = (
    cells: Readonly<Record<string, string | null>>,
    own: readonly (readonly [string, string | null])[],
  ): string[] => {
    const row = header.map((_, index) => escape(cells[english[index] ?? ''] ?? ''));
    own.forEach(([name, value], index) => {
      const at = columns.length + (index * attributes.length) / 2;
      row[at] = escape(html(name));
      row[at + 1] = escape(value ?? '');
    });
    return row;
  };
  const amount = (text: string | null): string | null => text?.replace('.', decimal) ?? null;
  const toCells = ({ sku, barcode, price, compareAtPrice, stock, weight }: WooVariant) => ({
    SKU: sku,
    'GTIN, UPC, EAN, or ISBN': barcode,
    'Regular price': amount(compareAtPrice ?? price),
    'Sale price': compareAtPrice === null ? null : amount(price),
    Stock: stock,
    'Weight (kg)': amount(weight),
  });
  const parents: string[][] = [];
  const children: string[][] = [];
  for (const product of products) {
    const isVariable = product.attributes.length > 0;
    const cells = {
      ID: product.id,
      Type: isVariable ? 'variable' : 'simple, virtual',
      Name: html(product.title),
      Published: product.published,
      'Visibility in catalog': 'visible',
      Description: product.description?.replaceAll('\\n', '\\\\n').replaceAll('\n', '\\n') ?? null,
      Categories: product.categories.map((path) => escapeComma(path.map(html).join(' > '))).join(', '),
      Tags: product.tags.map((tag) => escapeComma(html(tag))).join(', '),
      Images:
        product.image === null ? null : [product.image, 'https://a.example/other.jpg'].map(escapeComma).join(', '),
      Position: '0',
      Brands: product.vendor === null ? null : escapeComma(html(product.vendor)),
    };
    const own = isVariable ? { SKU: product.sku } : toCells(product.variants[0] as WooVariant);
    const values = (index: number): string =>
      product.variants.map(({ options }) => escapeComma(html(options[index] ?? ''))).join(', ');
    parents.push(
      toRow(
        { ...cells, ...own },
        product.attributes.map((name, index) => [name, values(index)]),
      ),
    );
    if (!isVariable) continue;
    product.variants.forEach((variant, index) => {
      const ofVariation = {
        ID: variant.id,
        Type: 'variation, downloadable',
        Name: html(product.title),
        Published: '1',
        Images: variant.image === null ? null : escapeComma(variant.image),
        Parent: parentsBySku && product.sku !== null ? product.sku : `id:${product.id}`,
        Position: String(index + 1),
      };
      const option = (at: number): string | null => {
        const value = variant.options[at] ?? null;
        return value === null ? null : escapeComma(html(value));
      };
      children.push(
        toRow(
          { ...ofVariation, ...toCells(variant) },
          product.attributes.map((name, at) => [name, option(at)]),
        ),
      );
    });
  }
  return [header, ...(shuffle % 2 === 1 ? [...children.reverse(), ...parents] : [...parents, ...children])];
}

const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeComma = (text: string): string => text.replaceAll(',', '\\,');
const escape = (cell: string): string => (/^[=+\-@]/.test(cell) ? `'${cell}` : cell);
