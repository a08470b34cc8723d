import { createStatementNames } from '../../src/database/statement-names';

const bounds = { reserved: 3, ofClients: 6, perClient: 2 };

/** What each of several uses of a statement is called. */
function use(names: ReturnType<typeof createStatementNames>, text: string, client?: string): readonly string[] {
  return [1, 2, 3].map(() => names.nameOf(text, client));
}

describe('names of prepared statements', () => {
  it('are given to the service from the first use on, and to clients from the second', () => {
    const names = createStatementNames(bounds);
    expect(use(names, 'SELECT own')).toEqual(['s0', 's0', 's0']);
    expect(use(names, 'SELECT theirs', 'shop')).toEqual(['', 'c0', 'c0']);
    expect(names.nameOf('SELECT theirs', 'another shop')).toBe('c0');
    expect(names.nameOf('SELECT own', 'shop')).toBe('s0');
  });

  it('are bounded, whatever is asked', () => {
    const names = createStatementNames(bounds);
    const given = new Set<string>();
    for (let index = 0; index < 500; index += 1) {
      for (const name of use(names, `SELECT ${index}`, `shop ${index % 50}`)) given.add(name);
      for (const name of use(names, `SELECT own ${index}`)) given.add(name);
    }
    given.delete('');
    expect(given.size).toBe(bounds.reserved + bounds.ofClients);
  });

  it('are left for the service and for other shops, however many statements one shop makes', () => {
    const names = createStatementNames(bounds);
    for (let index = 0; index < 10_000; index += 1) use(names, `SELECT ${index}`, 'hostile');
    expect(use(names, 'SELECT own').at(-1)).toBe('s0');
    expect(use(names, 'SELECT theirs', 'shop').at(-1)).toBe('c2');
  });
});
