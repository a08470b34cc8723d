import { TransportError } from './transport-error';

/**
 * Reads a response's body, decompressed, as UTF-8.
 * @throws TransportError as soon as it is longer than allowed, so that no subgraph can fill this process's memory.
 */
export async function readBoundedText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > maxBytes) {
      throw new TransportError('SUBREQUEST_MALFORMED_RESPONSE', `a response of more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
