import { RawJson } from '../passthrough/raw-json';
import type { LargeProduct } from '../rows/large-product';

/** Takes the place of the product in the text of the answer. JSON text never contains it, because it escapes control characters. */
const place = '\x1e';

/** The product of an answer that is read while it is written, because no answer has room for it (docs/decisions.md 41). */
export class HeldProduct {
  #product: LargeProduct | undefined;

  get product(): LargeProduct | undefined {
    return this.#product;
  }

  /** @returns what the resolver answers instead. An answer has one such product: others end the operation. */
  hold(product: LargeProduct): RawJson {
    this.#product = product;
    return new RawJson(place);
  }

  /** What the answer has before and behind the product. */
  static split(text: string): readonly [start: string, end: string] {
    const [start = '', end = ''] = text.split(place);
    return [start, end];
  }
}
