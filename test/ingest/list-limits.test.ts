import { model, type StoredImage } from '../../src/catalog/model';
import { ListLimits } from '../../src/ingest/formats/check-lengths';
import type { ProductRecord } from '../../src/ingest/formats/record';
import { fc } from '../support/properties';

const { count, bytes } = model.products.images;

const recordOf = (images: readonly StoredImage[], line = 2): ProductRecord =>
  ({
    kind: 'product',
    line,
    values: { external_id: '1', images, memberships: null },
    variants: [],
  }) as unknown as ProductRecord;

/** As PostgreSQL writes it. */
const bytesOf = (images: readonly object[]): number =>
  Buffer.byteLength(JSON.stringify(images).replaceAll(/"(url|alt_text|position)":/g, '"$1": ')) + 3 * images.length;

function shorten(images: readonly StoredImage[]): { kept: readonly StoredImage[]; warnings: readonly string[] } {
  const limits = new ListLimits();
  const record = limits.apply(recordOf(images)) as ProductRecord;
  return { kept: record.values.images as readonly StoredImage[], warnings: limits.warnings };
}

const image = (url: string): StoredImage => ({ url, alt_text: null, position: null });

describe('lists of objects that are too long for their column', () => {
  it('keep the first objects that fit, with a warning, whatever they are', () => {
    const url = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('ü'.repeat(20_000)));
    fc.assert(
      fc.property(fc.array(url.map(image), { maxLength: 300 }), (images) => {
        const { kept, warnings } = shorten(images);
        expect(images.slice(0, kept.length)).toEqual(kept);
        expect(kept.length).toBeLessThanOrEqual(count);
        expect(bytesOf(kept)).toBeLessThanOrEqual(bytes + 6 * kept.length);
        expect(warnings).toHaveLength(kept.length === images.length ? 0 : 1);
      }),
    );
  });

  it('keep all that fit', () => {
    const images = Array.from({ length: count }, (_, index) => image(`https://x.example/${index}.jpg`));
    expect(shorten(images)).toEqual({ kept: images, warnings: [] });
    expect(shorten([...images, image('z')]).kept).toEqual(images);
  });

  it('are counted by their objects', () => {
    const limits = new ListLimits();
    const images = Array.from({ length: count + 1 }, (_, index) => image(String(index)));
    for (const line of [2, 300]) limits.apply(recordOf(images, line));
    expect(limits.warnings).toEqual([
      'images of 2 objects (first on line 2) exceed 250 items or 262144 bytes: only the first that fit were imported',
    ]);
  });
});
