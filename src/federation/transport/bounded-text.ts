import type { AnswerLimits, TakesFromBudget } from '../answer/answer-budget';
import { JsonMeter } from '../answer/json-meter';
import { TransportError } from './transport-error';

/** A decompressed JSON body in UTF-8 while it arrives. */
export class BoundedText {
  readonly #chunks: Uint8Array[] = [];
  readonly #meter = new JsonMeter();
  #bytes = 0;

  constructor(
    private readonly limits: AnswerLimits,
    private readonly budget?: TakesFromBudget,
  ) {}

  /**
   * @throws TransportError as soon as the body exceeds a bound, before it is complete and before it is parsed, so that
   * no subgraph can fill this process's memory or block its thread.
   */
  add(chunk: Uint8Array): void {
    const { maxBytes, maxValues, maxDepth } = this.limits;
    const meter = this.#meter;
    const before = meter.values;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > maxBytes) throw excessive(`more than ${maxBytes} bytes`);
    meter.feed(chunk);
    if (meter.values > maxValues) throw excessive(`more than ${maxValues} values`);
    if (meter.maxDepth > maxDepth) throw excessive(`more than ${maxDepth} levels of nested lists and objects`);
    if (this.budget?.take(chunk.byteLength, meter.values - before) === false) throw overBudget();
    this.#chunks.push(chunk);
  }

  toString(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Reads all of a body. Leaving the loop destroys the body, and with it the connection. @throws TransportError */
export async function readBoundedText(body: AsyncIterable<Uint8Array>, limits: AnswerLimits): Promise<string> {
  const text = new BoundedText(limits);
  for await (const chunk of body) text.add(chunk);
  return text.toString();
}

export const overBudget = (): TransportError =>
  new TransportError('SUBREQUEST_MALFORMED_RESPONSE', 'the combined subgraph responses to one operation are too large');

const excessive = (what: string): TransportError =>
  new TransportError('SUBREQUEST_MALFORMED_RESPONSE', `a response with ${what}`);
