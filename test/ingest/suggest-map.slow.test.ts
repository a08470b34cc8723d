import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ImportError } from '../../src/ingest/values/import-error';
import {
  collectionWords,
  optionWords,
  orderWords,
  productWords,
  variantWords,
} from '../../src/ingest/maps/column-words';
import { readMap } from '../../src/ingest/maps/read-map';
import { suggestMap } from '../../src/ingest/suggest-map';
import { fc } from '../support/properties';
import { useImportHarness } from './import-harness';

const csv = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

const harness = useImportHarness();

const suggest = async (content: string): Promise<string> => suggestMap(await harness.write(content), {});

/** Imports a table by the map that is suggested for it. */
async function importBySuggestion(content: string): Promise<(table: string, columns: string) => Promise<unknown[][]>> {
  const file = await harness.write(content, 'table.csv');
  const map = join(harness.directory, 'map.yaml');
  await writeFile(map, await suggestMap(file, {}));
  const shop = await harness.createShop();
  await shop.importFiles([file], { map });
  return async (table, columns) => {
    const rows = await harness.test.sql(`SELECT ${columns} FROM ${table} WHERE shop_id = '${shop.id}' ORDER BY 1, 2`);
    return rows.map((row) => Object.values(row));
  };
}

describe('a suggested map', () => {
  it.each([
    ['English', 'Product ID,Name,Brand,Category,Price,Stock,SKU\n1,Mug,Acme,Cups,9.50,3,M-1\n', '9.50'],
    ['German', 'Artikel-ID;Bezeichnung;Hersteller;Warengruppe;Verkaufspreis;Lagerbestand;Artikelnummer\n1;Mug;Acme;Cups;9,50 €;3;M-1\n', '9.50'],
    ['French', 'Identifiant;Désignation;Marque;Catégorie;Prix de vente;Quantité en stock;Référence\n1;Mug;Acme;Cups;9,50;3;M-1\n', '9.50'],
    ['Spanish', 'ID producto;Nombre;Fabricante;Categoría;Precio;Existencias;Código\n1;Mug;Acme;Cups;9,50;3;M-1\n', '9.50'],
    ['Italian', 'ID prodotto;Nome;Produttore;Categoria;Prezzo;Giacenza;Codice articolo\n1;Mug;Acme;Cups;9,50;3;M-1\n', '9.50'],
    ['Polish', 'ID produktu;Nazwa;Producent;Kategoria;Cena;Ilość;Kod produktu\n1;Mug;Acme;Cups;9,50;3;M-1\n', '9.50'],
  ])('reads products with columns in %s', async (_, content, price) => {
    const rowsOf = await importBySuggestion(content);
    expect(await rowsOf('products', 'external_id, title, vendor, product_type')).toEqual([['1', 'Mug', 'Acme', 'Cups']]);
    expect(await rowsOf('variants', 'sku, price, inventory_quantity')).toEqual([['M-1', price, '3']]);
  }); // prettier-ignore

  it.each([
    ['English', 'Order number,Customer name,E-mail,Currency,Grand total,Qty,Order date'],
    ['German', 'Bestellnummer,Kunde,E-Mail,Währung,Gesamtsumme,Anzahl,Bestelldatum'],
    ['French', 'Numéro de commande,Nom du client,E-mail,Devise,Montant total,Quantité,Date de commande'],
    ['Spanish', 'Número de pedido,Nombre del cliente,Correo,Moneda,Importe total,Cantidad,Fecha del pedido'],
    ['Italian', 'Numero ordine,Nome cliente,E-mail,Valuta,Totale ordine,Quantità,Data ordine'],
    ['Polish', 'Numer zamówienia,Nazwa klienta,E-mail,Waluta,Kwota zamówienia,Ilość,Data zamówienia'],
  ])('reads orders, a row for each item, with columns in %s', async (_, header) => {
    const rowsOf = await importBySuggestion(
      csv(header, '7,Ann,a@shop.example,EUR,12.5,2,31/12/2025', '7,Ann,a@shop.example,EUR,12.5,1,31/12/2025', '8,Bo,b@shop.example,EUR,1,1,01/12/2025'),
    );
    const columns = 'external_id, order_number, customer_name, currency, total_price, items_count, created_at::text';
    expect(await rowsOf('orders', columns)).toEqual([
      ['7', '7', 'Ann', 'EUR', '12.5', '3', '2025-12-31 00:00:00+00'],
      ['8', '8', 'Bo', 'EUR', '1', '1', '2025-12-01 00:00:00+00'],
    ]);
  }); // prettier-ignore

  it('reads collections, by the first of several languages', async () => {
    const rowsOf = await importBySuggestion(
      csv('key,externalId,name.de,slug.de,name.en,slug.en', 'c1,1,Männer,men,Men,men', 'c2,2,Frauen,women,Women,women'),
    );
    expect(await rowsOf('collections', 'external_id, title, handle')).toEqual([
      ['1', 'Männer', 'men'],
      ['2', 'Frauen', 'women'],
    ]);
  });

  it('finds the rows of variants below their product, numbered options, and one of several currencies', async () => {
    const rowsOf = await importBySuggestion(
      csv(
        'slug,sku,name,price,currency,status,category,option1_name,option1_value',
        'mug,,Mug,0,EUR,active,Kitchen -> Cups,,',
        'mug,M-R,,9.50,EUR,,,Colour,Red',
        'mug,M-B,,9.90,EUR,,,Colour,Blue',
        'cup,C,Cup,5,EUR,draft,Kitchen -> Cups,,',
        'mug,M-R,,10.50,USD,,,Colour,Red',
      ),
    );
    expect(await rowsOf('products', 'external_id, title, status, product_type')).toEqual([
      ['cup', 'Cup', 'DRAFT', 'Cups'],
      ['mug', 'Mug', 'ACTIVE', 'Cups'],
    ]);
    expect(await rowsOf('variants', 'sku, price, options::text')).toEqual([
      ['C', '5', '[]'],
      ['M-B', '9.90', '[{"name": "Colour", "value": "Blue"}]'],
      ['M-R', '9.50', '[{"name": "Colour", "value": "Red"}]'],
    ]);
  });

  it('finds options with a column each, in rows with the same id', async () => {
    const rowsOf = await importBySuggestion(
      csv('Handle,Titel,Preis,Größe,Farbe', 'mug,Mug,1.00,S,Rot', 'mug,Mug,2.00,L,Rot', 'cup,Cup,3.00,,'),
    );
    expect(await rowsOf('variants', 'price, options::text')).toEqual([
      ['1.00', '[{"name": "Größe", "value": "S"}, {"name": "Farbe", "value": "Rot"}]'],
      ['2.00', '[{"name": "Größe", "value": "L"}, {"name": "Farbe", "value": "Rot"}]'],
      ['3.00', '[]'],
    ]);
  });

  it('uses a column for an option once, even if its name is a word in several languages', async () => {
    const rowsOf = await importBySuggestion(csv('Id,Name,Price,Color,color!', '1,Mug,1.00,Red,x', '1,Mug,2.00,Blue,x'));
    expect(await rowsOf('variants', 'price, options::text')).toEqual([
      ['1.00', '[{"name": "Color", "value": "Red"}]'],
      ['2.00', '[{"name": "Color", "value": "Blue"}]'],
    ]);
  });

  it.each([
    ['Aktiv', 'WAHR', 'FALSCH'],
    ['Actif', 'VRAI', 'FAUX'],
    ['Actif', 'oui', 'non'],
    ['Sichtbar', 'ja', 'nein'],
    ['Activo', 'sí', 'no'],
    ['Published', 'TRUE', 'FALSE'],
    ['Online', '1', '0'],
    ['Spalte 7', 'published', 'Draft'],
    ['Zustand der Ware', 'aktiv', 'entwurf'],
  ])('reads the states of a column %s by its words: %s, %s', async (name, yes, no) => {
    const rowsOf = await importBySuggestion(csv(`Id,Name,Price,${name}`, `1,Mug,2.50,${yes}`, `2,Cup,2.50,${no}`));
    expect(await rowsOf('products', 'external_id, status')).toEqual([['1', 'ACTIVE'], ['2', 'DRAFT']]);
  }); // prettier-ignore

  it.each(['Condition,new,new', 'Taxable,TRUE,FALSE', 'Grade,active,B'])('accepts no other words as states: %s', async (column) => {
    const [name, ...cells] = column.split(',');
    const map = await suggest(csv(`Id,Name,Price,${name}`, ...cells.map((cell, at) => `${at},Mug,2.50,${cell}`)));
    expect(map).not.toMatch(/^ +status:/m);
    expect(map).toContain('# No column for the status: new products are ACTIVE');
  }); // prettier-ignore

  it('reads stock, prices and units by their cells if names are vague or detailed', async () => {
    const rowsOf = await importBySuggestion(csv('Id;Name;Stock Total;VP netto', '1;Mug;3;€ 1.234,50', '2;Cup;0;€ 5,00'));
    expect(await rowsOf('variants', 'inventory_quantity, price')).toEqual([['0', '5.00'], ['3', '1234.50']]);
  }); // prettier-ignore

  it.each([
    ['2026-01-31', '2026-02-01'],
    ['2026-01-31 10:00', '2026-02-01 00:00'],
    ['31.01.2026 10:00', '01.02.2026 00:00'],
    ['1/31/2026 10:00 AM', '2/1/2026'],
    ['2026-01-31T12:00:00+02:00', '2026-02-01T00:00:00Z'],
  ])('reads the dates, totals and currencies of orders whatever their columns are called: %s', async (one, other) => {
    const rowsOf = await importBySuggestion(csv('Order number,Customer,When,To pay,Money', `7,Ann,${one},12.50,EUR`, `8,Bo,${other},5.00,SEK`));
    expect(await rowsOf('orders', 'external_id, created_at::date::text, total_price, currency')).toEqual([
      ['7', '2026-01-31', '12.50', 'EUR'],
      ['8', '2026-02-01', '5.00', 'SEK'],
    ]);
  }); // prettier-ignore

  it('lists vital fields that no column provides', async () => {
    const map = await suggest(csv('Order number,Customer,Placed,Sent', '7,Ann,31 Jan 2026,1 Feb 2026'));
    expect([...map.matchAll(/^# No column for the (.*?):/gm)].map(([, member]) => member)).toEqual(['created_at', 'currency', 'total_price', 'financial_status']);
    expect(await suggest(csv('Id,Name,SKU', '1,Mug,M'))).toContain('# No column for the variant price: new variants have no price.');
  }); // prettier-ignore

  it('says what it did not recognize, and never uses a column of e-mail addresses', async () => {
    const map = await suggest(csv('id,name,price,contact,date created,weird', '1,Mug,2,a@b.example,03/04/2025,x'));
    expect(map).toContain('# Not read: "contact", "weird"');
  });

  it.each([
    ['text', 'Dear all,\nnothing to see\n', /expected a table|expected columns for products/],
    [
      'a table of something else',
      csv('temperature,humidity', '1,2'),
      /expected columns for products .*, orders .* or collections/,
    ],
  ])('is refused for %s', async (_, content, message) => {
    await expect(suggest(content)).rejects.toThrow(message);
  });

  it('is a valid map, whatever the columns and cells are', async () => {
    const known = [productWords, variantWords, orderWords, collectionWords, { options: optionWords }].flatMap((words) =>
      Object.values(words).flatMap((names) => names.split(', ')),
    );
    const name = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...known) },
      fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
      fc.tuple(fc.string({ minLength: 1, maxLength: 300 }), fc.constantFrom(...known)).map((words) => words.join(' ')),
      fc.constantFrom('true', 'null', '~', '- a', '{n}', '*x', '&y', '!z', '#', 'a: b', '%', '@', '`', "it's", '"', '0x1', '1e3', '.inf', 'option1 value'),
    );
    const cell = fc.oneof(
      fc.constantFrom('', '1', '1,50', '1.234,50 €', 'EUR', 'active', 'ja', '31/12/2025', '2025-01-31', 'a > b', 'a|b', 'x@y.example', 'x: y', '#'),
      fc.string({ maxLength: 8 }),
    );
    const quoted = (text: string): string => `"${text.replaceAll('"', '""').replaceAll(/[\0\r\n]/g, ' ')}"`;
    const table = fc
      .tuple(fc.array(name, { minLength: 2, maxLength: 12 }), fc.array(fc.array(cell, { minLength: 12, maxLength: 12 }), { maxLength: 6 }))
      .map(([names, rows]) => [names, ...rows].map((cells) => names.map((_, at) => quoted(cells[at] ?? '')).join(',')).join('\n'));
    const outcomes = { maps: 0, refusals: 0 };
    await fc.assert(
      fc.asyncProperty(table, async (content) => {
        let map: string;
        try {
          map = await suggest(content);
        } catch (error) {
          expect(error).toBeInstanceOf(ImportError);
          outcomes.refusals += 1;
          return;
        }
        outcomes.maps += 1;
        expect(map).not.toContain('x@y.example');
        readMap(map, 'suggested');
        const options = [...map.matchAll(/^ +- name: (.+)$/gm)].map(([, option]) => option);
        expect(new Set(options).size).toBe(options.length);
      }),
      { numRuns: 500 },
    );
    expect(outcomes.maps).toBeGreaterThan(50);
  }); // prettier-ignore
});
