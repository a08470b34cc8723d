import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tile of the dashboard, and the operation whose result it shows. */
export interface DashboardView {
  /** Also the name of its operation's file and of its script. */
  readonly id: string;
  readonly title: string;
  /** Its area of the page. */
  readonly area: 'shop' | 'search' | 'figures' | 'main' | 'row' | 'wide' | 'narrow' | 'drawer';
  readonly choice?: ViewSwitch;
  /** What can be saved: the numbers, or a picture of a chart. */
  readonly saves?: readonly ('CSV' | 'PNG')[];
}

/** A choice of what is shown; the first option is the default. */
interface ViewSwitch {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

/** In the order of the page. */
export const views: readonly DashboardView[] = [
  { id: 'shop', title: 'Shop', area: 'shop' },
  { id: 'search', title: 'Search', area: 'search' },
  { id: 'figures', title: 'Key metrics', area: 'figures' },
  {
    id: 'orders-by-day',
    title: 'Orders over time',
    area: 'main',
    saves: ['CSV', 'PNG'],
    choice: { name: 'measure', label: 'Measure', options: [['totalPrice', 'Revenue'], ['count', 'Orders']] },
  },
  { id: 'stock', title: 'Low stock', area: 'row', saves: ['CSV'] },
  {
    id: 'breakdown',
    title: 'Product breakdown',
    area: 'row',
    saves: ['CSV'],
    choice: { name: 'kind', label: 'Group by', options: [['vendors', 'Vendors'], ['tags', 'Tags'], ['prices', 'Prices']] },
  },
  { id: 'changed-last', title: 'Recently updated', area: 'row', saves: ['CSV'] },
  { id: 'best-sellers', title: 'Best sellers', area: 'wide', saves: ['CSV'] },
  { id: 'collections', title: 'Collections', area: 'narrow', saves: ['CSV'] },
  { id: 'latest-orders', title: 'Latest orders', area: 'wide', saves: ['CSV'] },
  { id: 'usage', title: 'API key usage', area: 'wide', saves: ['CSV'] },
  { id: 'detail', title: 'Details', area: 'drawer' },
  { id: 'orders-of-product', title: 'Recent orders', area: 'drawer' },
]; // prettier-ignore

/** The document of a view: the page shows it, and its script sends what the page shows. */
export const readViewDocument = (id: string): string =>
  readFileSync(join(__dirname, 'operations', `${id}.graphql`), 'utf8').trimEnd();

/** Known to a service that runs only trusted documents. */
export const readViewDocuments = (): readonly string[] => views.map(({ id }) => readViewDocument(id));
