/** A number as the file writes it: JSON.parse would turn 19.90 into 19.9 (D21). */
export class NumberLiteral {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
