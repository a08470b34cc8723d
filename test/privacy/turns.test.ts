import { orderRedaction } from '../../src/catalog/order/order-privacy';
import type { OutputRow } from '../../src/catalog/rows/shop-statements';
import { endOfPiece } from '../../src/catalog/rows/shop-statements';

/** @returns the number of rows in each turn */
function toTurns(rows: readonly OutputRow[], isRedacted: boolean): readonly number[] {
  const sizes: number[] = [];
  for (let start = 0; start < rows.length;) {
    const end = endOfPiece(rows, start, isRedacted ? orderRedaction : undefined);
    sizes.push(end - start);
    start = end;
  }
  return sizes;
}

const order = (tag: string): OutputRow => [JSON.stringify(new Array(32).fill(tag))];
const dear = order('%F0%9F%98%80'.repeat(166));
const innocent = order('a note '.repeat(285));

describe('a page of orders is converted in turns of the event loop, so that other shops wait for at most one turn', () => {
  it('of one order each, if all texts must be searched and are as long as the columns allow', () => {
    expect(toTurns(new Array<OutputRow>(50).fill(dear), true)).toEqual(new Array(50).fill(1));
  });

  it('of 16 kB of suspicious texts otherwise', () => {
    const rows = new Array<OutputRow>(200).fill(order('a@b'));
    const length = (rows[0] as OutputRow).join('').length;
    expect(Math.max(...toTurns(rows, true))).toBeLessThanOrEqual(Math.ceil((16 * 1024) / length));
  });

  it('of 256 kB if nothing is suspicious, or nothing is searched', () => {
    const usual = [5, 5, 2];
    expect(toTurns(new Array<OutputRow>(12).fill(innocent), true)).toEqual(usual);
    expect(toTurns(new Array<OutputRow>(12).fill(dear), false)).toEqual(usual);
  });
});
