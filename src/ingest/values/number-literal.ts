/** A number as the file writes it: JSON.parse would make 19.9 out of 19.90 (D21). */
export class NumberLiteral {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
