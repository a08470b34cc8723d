/**
 * The names that shops, spreadsheets and platforms give their columns, in English, German, French, Spanish, Italian and
 * Polish, as `toWords` writes them. A column may have more words before these: `lineitems quantity`, `variant sku`.
 */
type Names = Readonly<Record<string, string>>;

const shared = {
  handle: 'handle, slug, url key, url handle, seo url, permalink, seo name, link rewrite',
  description_html: 'description, description html, body, body html, long description, product description, beschreibung, artikelbeschreibung, langbeschreibung, produktbeschreibung, descripcion, descrizione, opis, opis produktu',
  seo_title: 'meta title, seo title, page title, meta titel, seo titel, titre seo, meta titre, titulo seo, meta titulo, titolo seo, meta titolo, tytul seo, meta tytul',
  seo_description: 'meta description, seo description, meta beschreibung, seo beschreibung, description seo, descripcion seo, meta descripcion, descrizione seo, meta descrizione, opis seo, meta opis',
  image_url: 'image url, image src, image, images, image link, picture, picture url, photo, bild, bild url, bilder, produktbild, url image, photo url, imagen, imagenes, url imagen, immagine, immagini, url immagine, obraz, obrazek, zdjecie, zdjecia, image 1, image 1 src, image1 src, thumbnail, web image url',
  created_at: 'created at, date created, created, date added, creation date, erstellt am, erstellt, angelegt am, date de creation, cree le, fecha de creacion, creado el, data di creazione, creato il, data utworzenia, utworzono',
  updated_at: 'updated at, date modified, updated, modified, last modified, date updated, geandert am, aktualisiert am, date de modification, modifie le, fecha de modificacion, actualizado el, data di modifica, aggiornato il, data modyfikacji, zmieniono',
} as const; // prettier-ignore

export const productWords: Names = {
  external_id: 'product id, external id, produkt id, artikel id, id produit, identifiant produit, id producto, id prodotto, id produktu, identyfikator produktu, parent id, handle, slug, url key, id, identifier, identifiant, identyfikator, style, product code, parent sku, model',
  title: 'product name, product title, item name, title, name, produktname, artikelname, artikelbezeichnung, bezeichnung, titel, nom du produit, nom produit, designation, libelle, nom, titre, nombre del producto, nombre producto, nombre, titulo, nome prodotto, nome del prodotto, nome, titolo, nazwa produktu, nazwa towaru, nazwa, tytul',
  ...shared,
  status: 'status, product status, state, zustand, statut, estado, stato, stan produktu, published, active, enabled, visible, online, aktiv, sichtbar, veroffentlicht, actif, publie, activo, publicado, attivo, visibile, pubblicato, aktywny, widoczny, opublikowany',
  vendor: 'vendor, brand, brand name, manufacturer, supplier, marke, hersteller, lieferant, marque, fabricant, fournisseur, marca, fabricante, proveedor, produttore, fornitore, marka, producent, dostawca',
  product_type: 'product type, category, categories, product category, group, category 1, category1, main category, produkttyp, warengruppe, kategorie, kategorien, type de produit, categorie, tipo de producto, categoria, categorias, tipo di prodotto, categorie, kategoria, kategorie, rodzaj, type',
  tags: 'tags, labels, product tags, keywords, schlagworte, schlagworter, stichworte, etiquettes, mots cles, etiquetas, palabras clave, etichette, parole chiave, tagi, etykiety, slowa kluczowe',
  published_at: 'published at, available on, publication date, veroffentlicht am, date de publication, fecha de publicacion, data di pubblicazione, data publikacji',
}; // prettier-ignore

export const variantWords: Names = {
  sku: 'variant sku, sku, product sku, item number, article number, part number, stock code, artikelnummer, artikel nr, artikelnr, artnr, bestellnummer, reference, ref, reference produit, code article, referencia, codigo, codigo de articulo, codice articolo, codice, riferimento, kod produktu, kod towaru, indeks, kod, symbol',
  barcode: 'barcode, ean, ean13, ean 13, gtin, gtin13, upc, isbn, ean code, ean nummer, strichcode, code barres, code a barres, code ean, codigo de barras, codice a barre, kod kreskowy, kod ean',
  price: 'price, unit price, regular price, sales price, selling price, retail price, gross price, verkaufspreis, vk preis, vk, bruttopreis, preis, preis brutto, prix de vente, prix ttc, prix unitaire, prix, precio de venta, precio unitario, precio, pvp, prezzo di vendita, prezzo unitario, prezzo, cena sprzedazy, cena brutto, cena',
  compare_at_price: 'compare at price, list price, msrp, rrp, was price, old price, uvp, listenpreis, alter preis, statt preis, prix barre, ancien prix, prix conseille, precio anterior, precio de lista, precio original, prezzo di listino, prezzo pieno, prezzo originale, stara cena, cena katalogowa, cena przed obnizka',
  cost_price: 'cost price, cost per item, cost, purchase price, wholesale price, einkaufspreis, ek preis, ek, prix d achat, cout, prix de revient, precio de coste, precio de compra, coste, prezzo di acquisto, prezzo d acquisto, costo, cena zakupu, koszt',
  inventory_quantity: 'inventory quantity, stock quantity, quantity in stock, inventory count, on hand, available quantity, inventory, stock level, stock, quantity, qty, lagerbestand, bestand, lagermenge, menge, stuckzahl, quantite en stock, quantite, existencias, cantidad, cantidad en stock, inventario, giacenza, quantita, disponibilita, stan magazynowy, ilosc sztuk, ilosc, stan',
  weight: 'weight, variant weight, shipping weight, gewicht, poids, peso, waga, masa',
  weight_unit: 'weight unit, unit of weight, gewichtseinheit, unite de poids, unidad de peso, unita di peso, jednostka wagi',
}; // prettier-ignore

export const orderWords: Names = {
  external_id: 'order id, id order, bestell id, auftrags id, id commande, id pedido, id ordine, id zamowienia, id',
  order_number: 'order number, order no, order name, order reference, increment id, order, receipt, bestellnummer, bestellnr, auftragsnummer, auftragsnr, belegnummer, bestellung, auftrag, numero de commande, commande, reference commande, numero de pedido, pedido, numero ordine, numero d ordine, ordine, numer zamowienia, nr zamowienia, zamowienie, number, nummer, reference, name',
  customer_name: 'customer name, billing name, customer, buyer, buyer name, recipient name, client name, full name, kundenname, kunde, name des kunden, kaufer, nom du client, client, acheteur, nombre del cliente, nombre cliente, cliente, comprador, nome cliente, nome del cliente, acquirente, nazwa klienta, imie i nazwisko, klient, kupujacy, delivery name, shipping name',
  currency: 'currency, currency code, order currency, wahrung, devise, monnaie, moneda, divisa, valuta, waluta',
  total_price: 'order total, total price, grand total, total paid, total amount, total, gesamtbetrag, gesamtsumme, rechnungsbetrag, summe, gesamt, montant total, total ttc, total commande, importe total, total pedido, totale ordine, importo totale, totale, kwota zamowienia, wartosc zamowienia, suma, razem, kwota, wartosc, amount, betrag, montant, importe, importo',
  subtotal_price: 'subtotal price, subtotal, sub total, items total, item total, zwischensumme, warenwert, sous total, total produits, subtotale, suma czesciowa, wartosc produktow',
  total_tax: 'total tax, tax total, tax amount, taxes, tax, vat, vat amount, mwst, mehrwertsteuer, steuer, steuerbetrag, tva, total tva, taxe, iva, impuestos, total impuestos, imposte, podatek, kwota vat',
  total_shipping: 'total shipping, shipping total, shipping price, shipping cost, shipping, delivery cost, delivery, versandkosten, versand, frais de port, frais de livraison, livraison, gastos de envio, envio, spese di spedizione, spedizione, koszt wysylki, koszt dostawy, wysylka, dostawa',
  financial_status: 'financial status, payment status, payment state, zahlungsstatus, statut de paiement, estado del pago, estado de pago, stato pagamento, stato del pagamento, status platnosci, order status, status, bestellstatus, statut, estado, stato, stan',
  fulfillment_status: 'fulfillment status, fulfilment status, shipping status, delivery status, shipment state, lieferstatus, versandstatus, statut de livraison, statut d expedition, estado del envio, estado de envio, stato spedizione, stato della spedizione, status wysylki, status dostawy',
  items_count: 'items count, item count, number of items, total items, lineitem quantity, item quantity, quantity, qty, items, pieces, anzahl artikel, anzahl, stuckzahl, menge, positionen, nombre d articles, quantite, articles, numero de articulos, cantidad, articulos, numero articoli, quantita, articoli, liczba sztuk, ilosc, liczba pozycji',
  tags: 'tags, labels, order tags, schlagworte, etiquettes, etiquetas, etichette, tagi, etykiety',
  created_at: 'order date, date ordered, ordered at, placed at, purchase date, completed at, bestelldatum, auftragsdatum, date de commande, date commande, fecha del pedido, fecha de pedido, data ordine, data dell ordine, data zamowienia, created at, date created, date add, created, date, datum, erstellt am, date de creation, fecha, data',
  updated_at: shared.updated_at,
}; // prettier-ignore

export const collectionWords: Names = {
  external_id: 'category id, collection id, external id, kategorie id, id categorie, id categoria, id kategorii, id, key, identifier, handle, slug, url key',
  title: 'category name, collection name, category title, category, collection, title, name, kategoriename, kategorie, bezeichnung, titel, nom de la categorie, categorie, nom, titre, nombre de la categoria, nombre categoria, categoria, nombre, titulo, nome categoria, nome, titolo, nazwa kategorii, kategoria, nazwa, tytul',
  ...shared,
  published: 'published, active, enabled, visible, aktiv, sichtbar, veroffentlicht, actif, visible, publie, activo, publicado, attivo, visibile, pubblicato, aktywna, widoczna, opublikowana',
  products_count: 'products count, product count, number of products, products, anzahl produkte, artikelanzahl, produkte, nombre de produits, produits, numero de productos, productos, numero di prodotti, prodotti, liczba produktow, produkty',
}; // prettier-ignore

/** Columns that are options of variants: `Grösse` becomes an option with that name. */
export const optionWords =
  'size, color, colour, material, flavour, flavor, grosse, groesse, farbe, geschmack, taille, couleur, matiere, talla, tamano, color, sabor, taglia, colore, materiale, gusto, rozmiar, kolor, smak';

/** Words for yes and no. */
export const yesNoWords = {
  true: 'yes, y, 1, ja, oui, si, sim, tak',
  false: 'no, n, 0, nein, non, nee, nao, nie',
} as const;

/** Words of statuses, of visibility and of payment. */
export const statusWords = {
  ACTIVE: 'active, enabled, published, publish, visible, live, online, on sale, available, aktiv, sichtbar, veroffentlicht, verfugbar, actif, active, publie, disponible, activo, activa, publicado, attivo, attiva, pubblicato, disponibile, aktywny, aktywna, opublikowany, widoczny, dostepny',
  DRAFT: 'draft, inactive, disabled, hidden, unpublished, private, offline, new, entwurf, inaktiv, versteckt, brouillon, inactif, masque, borrador, inactivo, oculto, bozza, inattivo, nascosto, szkic, nieaktywny, ukryty',
  ARCHIVED: 'archived, discontinued, deleted, archiviert, ausgelaufen, archive, arrete, archivado, descatalogado, archiviato, fuori produzione, zarchiwizowany, wycofany',
} as const; // prettier-ignore

/**
 * Normalizes a name for comparison: lower case, without accents, words separated by spaces. `lineitems.variantSku` is
 * `lineitems variant sku`.
 */
export const toWords = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[łŁ]/g, 'l')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
