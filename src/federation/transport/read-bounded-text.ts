import type { AnswerBudget, AnswerLimits } from '../answer/answer-budget';
import { JsonMeter } from '../answer/json-meter';
import { TransportError } from './transport-error';

/**
 * Reads a decompressed JSON body as UTF-8.
 * @throws TransportError as soon as it exceeds a bound, before it is complete and before it is parsed, so that no
 * subgraph can fill this process's memory or block its thread.
 */
export async function readBoundedText(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, maxValues, maxDepth }: AnswerLimits,
  budget?: AnswerBudget,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  const meter = new JsonMeter();
  let bytes = 0;
  // Leaving the loop destroys the body, and with it the connection.
  for await (const chunk of body) {
    const before = meter.values;
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw excessive(`more than ${maxBytes} bytes`);
    meter.feed(chunk);
    if (meter.values > maxValues) throw excessive(`more than ${maxValues} values`);
    if (meter.maxDepth > maxDepth) throw excessive(`more than ${maxDepth} nested lists and objects`);
    if (budget?.take(chunk.byteLength, meter.values - before) === false) {
      throw new TransportError(
        'SUBREQUEST_MALFORMED_RESPONSE',
        'the answers of all subgraphs to one operation are together larger than allowed',
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const excessive = (what: string): TransportError =>
  new TransportError('SUBREQUEST_MALFORMED_RESPONSE', `a response of ${what}`, { isExcessive: true });
