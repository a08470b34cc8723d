import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Names in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: unknown;
}

/**
 * Sends bytes as they are and reads everything until the server closes the connection: for bytes that no HTTP client
 * would send.
 * @param chunks Sent sequentially, each after the previous one was passed to the system.
 */
export function sendRaw(origin: string, ...chunks: readonly (string | Buffer)[]): Promise<readonly RawAnswer[]> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      for (const chunk of chunks) socket.write(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk);
    });
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('close', () => resolve(parseAnswers(Buffer.concat(received))));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while we still send; what it answered before counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
}

/** Takes responses with a Content-Length, or without a body, off a stream of bytes. */
export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no HTTP response: ${rest.toString('latin1')}`);
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const text = rest.subarray(end + 4, end + 4 + length).toString();
    answers.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      text,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}
