// Prints the SQL of a page and of an import, as PostgreSQL gets it, formatted: the code assembles it from parts.
//
//   node docs/statements.mjs [page|import]
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('../test/support/typescript-hook.cjs');
const { ShopRows } = require('../src/catalog/rows/shop-rows.ts');
const { restForms } = require('../src/catalog/rows/shop-tables.ts');
const { listProducts } = require('../src/catalog/product/product.ts');
const { upsertProductsStatement } = require('../src/ingest/write/upsert-products.ts');

/** A page of GET /v1/products?q=mug&status=ACTIVE after a cursor. */
async function pageStatement() {
  const id = '8c1ec063-a88b-4381-b654-08d69a85114e';
  const sent = [];
  const readRows = async (statement) => {
    sent.push(statement);
    return [['1']];
  };
  const rows = new ShopRows({ database: { readRows } }, { shopId: id, dataVersion: '1' });
  const list = listProducts(rows, { query: 'mug', status: 'ACTIVE' }, { sortKey: 'CREATED_AT', reverse: false });
  const after = ['2026-01-31T12:00:00.000Z', id];
  await list.raw(restForms.products).read({ after, before: undefined, limit: 51, backwards: false });
  return sent[0].text;
}

/** Breaks lines before clauses, and inside parentheses that are longer than a line. */
function layOut(text, indent = '') {
  const flat = text.replace(/'[^']*'|\s+/g, (part) => (part.startsWith("'") ? part : ' ')).trim();
  const lines = [''];
  for (let at = 0; at < flat.length;) {
    const clause = /^(?:FROM|WHERE|(?:LEFT |FULL |CROSS )?JOIN|UNION ALL|UNION|ORDER BY|GROUP BY|LIMIT|RETURNING|SET|SELECT|WITH)\b/.exec(flat.slice(at)); // prettier-ignore
    if (clause && flat[at - 1] === ' ') lines.push('');
    const [word] = clause ?? /^'[^']*'|^\w+|^[^]/.exec(flat.slice(at));
    const end = word === '(' ? closingOf(flat, at) : undefined;
    if (end !== undefined && end - at > 100) {
      lines[lines.length - 1] += `(\n${layOut(flat.slice(at + 1, end), `${indent}  `)}\n${indent})`;
      at = end + 1;
      continue;
    }
    lines[lines.length - 1] += end === undefined ? word : flat.slice(at, end + 1);
    at = end === undefined ? at + word.length : end + 1;
  }
  return lines.map((line) => line.trim() && indent + line.trim()).filter(Boolean).join('\n'); // prettier-ignore
}

function closingOf(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "'") at = text.indexOf("'", at + 1);
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && (depth -= 1) === 0) return at;
  }
  throw new Error(`Expected a parenthesis that closes the one at ${start}.`);
}

const statements = { page: pageStatement, import: () => upsertProductsStatement() };
const [names, wanted] = [Object.keys(statements), process.argv.slice(2)];
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown statement: ${unknown.join(', ')}. Expected one of ${names.join(', ')}.`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : names) console.log(`${layOut(await statements[name]())};\n`);
