import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tile of the dashboard, and the operation that it shows the answer of. */
export interface DashboardView {
  /** Also the name of its operation's file and of its script. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly form?: ViewForm;
  readonly isWide?: true;
}

/** What a person may choose. A view with a button waits for it; all others run as soon as there is a key. */
export interface ViewForm {
  readonly fields: readonly ViewField[];
  readonly button?: string;
}

export interface ViewField {
  readonly name: string;
  readonly label: string;
  /** Values with their words, the first one chosen; without them it is a text. */
  readonly options?: readonly (readonly [value: string, words: string])[];
}

/** In the order of the page. */
export const views: readonly DashboardView[] = [
  { id: 'shop', title: 'Shop', about: 'The shop that the key belongs to, and what the key may read.' },
  {
    id: 'orders-by-day',
    title: 'Orders by day',
    about: 'Orders by payment status, one plot for each currency: amounts in different currencies are never added up.',
    isWide: true,
    form: {
      fields: [
        {
          name: 'period',
          label: 'Period',
          options: [
            ['90-days', '90 days'],
            ['30-days', '30 days'],
            ['52-weeks', '52 weeks, by week'],
            ['all', 'everything, by month'],
          ],
        },
        {
          name: 'zone',
          label: 'Days of',
          options: [
            ['browser', 'this browser'],
            ['UTC', 'UTC'],
          ],
        },
        {
          name: 'measure',
          label: 'Plot',
          options: [
            ['count', 'number of orders'],
            ['totalPrice', 'what customers pay'],
          ],
        },
      ],
    },
  },
  { id: 'products-by-status', title: 'Products by status', about: 'Visible products, by their state in the CMS.' },
  { id: 'stock', title: 'Stock', about: 'Products without stock, and active products that are about to run out.' },
  { id: 'price-bands', title: 'Price bands', about: 'Products by the lowest price of a variant.' },
  {
    id: 'vendors-and-tags',
    title: 'Top vendors and tags',
    about: 'A product counts once for each of its tags.',
  },
  { id: 'changed-last', title: 'Changed last', about: 'By the dates of the CMS, the latest first.' },
  {
    id: 'changes',
    title: 'Changes since then',
    about: 'The change feed from the moment this page got its key: the way to keep a copy up to date.',
    form: { fields: [], button: 'Read what changed' },
  },
  {
    id: 'search',
    title: 'Search',
    about: 'Part of a title or handle, a whole SKU, or a whole order number.',
    form: { fields: [{ name: 'text', label: 'Title, SKU or order number' }], button: 'Search' },
  },
  { id: 'detail', title: 'Detail', about: 'Choose a product or an order above.' },
];

/** The text that runs for a view: the page shows it, and its script sends what the page shows. */
export const readViewDocument = (id: string): string =>
  readFileSync(join(__dirname, 'operations', `${id}.graphql`), 'utf8').trimEnd();

/** For a service that runs known documents only: it knows its own. */
export const readViewDocuments = (): readonly string[] => views.map(({ id }) => readViewDocument(id));
