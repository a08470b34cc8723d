import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citusUrl } from '../support/citus-database';

export interface Block {
  readonly language: string;
  readonly text: string;
}

const shopId = "'5a3c1d52-0000-4000-8000-000000000001'";

/** As docs/scaling.md requires of writers on Citus: each statement names its shop by id. */
const withShopId = (text: string): string =>
  text
    .replace('INSERT INTO shops (domain', 'INSERT INTO shops (shop_id, domain')
    .replace("VALUES ('shop.example'", `VALUES (${shopId}, 'shop.example'`)
    .replace('ON CONFLICT (domain)', 'ON CONFLICT (shop_id)')
    .replaceAll("(SELECT shop_id FROM shops WHERE domain = 'shop.example')", shopId)
    .replaceAll("domain = 'shop.example'", `shop_id = ${shopId}`);

/**
 * The blocks of docs/writers.md in order: SQL, the rows that the COPY before them reads, and JavaScript. Each rejection
 * is a block.
 */
export const blocks: readonly Block[] = [
  ...readFileSync(join(__dirname, '../../docs/writers.md'), 'utf8').matchAll(/```(sql|tsv|js)\n([\s\S]*?)```/g),
].flatMap(([, language = '', text = '']) =>
  (citusUrl === undefined ? text : withShopId(text))
    .split(/^(?=-- refused: )/m)
    .filter((part) => part !== '')
    .map((part) => ({ language, text: part })),
);

/** A statement, or the rows of the preceding COPY. */
export type Step = { readonly sql: string } | { readonly copy: string; readonly rows: string };

/**
 * Everything that the page shows how to write, as the steps of one transaction: single statements, and everything from
 * BEGIN to COMMIT.
 */
export function readExamples(): readonly (readonly Step[])[] {
  const examples: Step[][] = [];
  let isOpen = false;
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'sql' || text.startsWith('-- refused')) continue;
    const rows = blocks[index + 1];
    const copy = /^COPY .* FROM STDIN;$/m.exec(text);
    const steps: Step[] = [{ sql: text.slice(0, copy?.index) }];
    if (copy !== null && rows?.language === 'tsv') steps.push({ copy: copy[0], rows: rows.text });
    if (isOpen) examples.at(-1)?.push(...steps);
    else examples.push(steps);
    if (text.includes('BEGIN;')) isOpen = true;
    if (text.includes('COMMIT;')) isOpen = false;
  }
  return examples;
}
