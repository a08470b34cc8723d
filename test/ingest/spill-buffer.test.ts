import { SpillBuffer } from '../../src/ingest/source/spill-buffer';

describe('values that are held until a file is read', () => {
  it('are returned unchanged, from memory and from the temporary file', async () => {
    const values = Array.from({ length: 3000 }, (_, index) => ({ index, text: 'ü'.repeat(index % 900) }));
    const held = new SpillBuffer<(typeof values)[number]>(10_000);
    for (const value of values) expect(await held.add(value)).toBe(value.index);
    for (const index of [2999, 0, 1500, 42, 43, 44]) {
      expect(await held.get(index)).toEqual(values[index]);
      expect(held.sizeOf(index)).toBe(Buffer.byteLength(JSON.stringify(values[index])));
    }
    await held.add({ index: 3000, text: '' });
    expect(await held.get(3000)).toEqual({ index: 3000, text: '' });
    await held.close();
  });
});
