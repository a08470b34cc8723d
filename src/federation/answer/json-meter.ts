const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Measures JSON while its bytes arrive, before it is parsed: how many values it has and how deeply they are nested. One
 * linear pass in constant memory. For text that is not JSON the result is arbitrary, and the parser fails.
 */
export class JsonMeter {
  /** Members of objects and items of lists, and the lists and objects themselves. */
  values = 1;
  maxDepth = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  feed(bytes: Uint8Array): void {
    let { values, maxDepth } = this;
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInText = false;
        continue;
      }
      switch (byte) {
        case quote:
          isInText = true;
          break;
        case comma:
          values += 1;
          break;
        case openBracket:
        case openBrace:
          values += 1;
          depth += 1;
          if (depth > maxDepth) maxDepth = depth;
          break;
        case closeBracket:
        case closeBrace:
          depth -= 1;
          break;
        default:
      }
    }
    Object.assign(this, { values, maxDepth });
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
  }
}
