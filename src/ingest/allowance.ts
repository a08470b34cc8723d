/** How many objects of each kind `--replace` can remove from a shop. */
export type Allowance = { readonly count: number } | { readonly percent: number };

/** @throws Error that says what is expected */
export function parseAllowance(text: string): Allowance {
  const [, digits, fraction = '', sign] = /^(\d{1,9})(\.\d{1,3})?\s*(%?)$/.exec(text) ?? [];
  const number = Number(`${digits ?? NaN}${fraction}`);
  if (sign === '%' && number <= 100) return { percent: number };
  if (sign === '' && fraction === '') return { count: number };
  throw new Error(
    `expected a number of objects such as 10, or a percentage up to 100%, such as 35%, got ${JSON.stringify(text.slice(0, 80))}`,
  );
}
