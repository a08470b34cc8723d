import { isJsonObject, parseJson } from '../common/parse-json';

interface BridgeOptions {
  /** URL of the service, without /mcp. */
  readonly url: URL;
  readonly apiKey: string;
  readonly input: AsyncIterable<Buffer | string>;
  readonly output: { write(text: string): unknown };
}

type Message = Readonly<Record<string, unknown>>;

/** JSON-RPC error codes: an error of the server itself, and a message that is not JSON. */
const serverError = -32_000;
const parseError = -32_700;

/**
 * Passes messages of the Model Context Protocol between standard input and output and the service's `POST /mcp`, one
 * per line, until the input ends. The service decides everything; if it cannot be reached, the message gets an error.
 */
export async function runMcpBridge({ url, apiKey, input, output }: BridgeOptions): Promise<void> {
  const endpoint = new URL(`${url.pathname.replace(/\/$/, '')}/mcp`, url);
  const running = new Set<Promise<void>>();
  const reply = (message: unknown): void => void output.write(`${JSON.stringify(message)}\n`);
  for await (const line of readLines(input)) {
    if (line.trim() === '') continue;
    const message = parseMessage(line);
    if (message === undefined) {
      reply(toError(null, parseError, 'Expected one JSON-RPC message per line.'));
      continue;
    }
    const passing: Promise<void> = pass(message, endpoint, apiKey)
      .then((answer) => void (answer !== undefined && reply(answer)))
      .finally(() => running.delete(passing));
    running.add(passing);
  }
  await Promise.all(running);
}

const lineEnd = /\r\n|[\r\n]/;

/** Not node:readline, which also ends lines at U+2028 and U+2029: JSON strings may contain them. */
async function* readLines(input: BridgeOptions['input']): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(Buffer.from(chunk), { stream: true })).split(lineEnd);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

async function pass(message: Message, endpoint: URL, apiKey: string): Promise<unknown> {
  const id = (message['id'] as string | number | undefined) ?? null;
  const answers = id !== null && message['method'] !== undefined;
  try {
    const headers = { ...headersOf(message), Authorization: `Bearer ${apiKey}` };
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      redirect: 'error',
    });
    const text = await response.text();
    if (!answers) return undefined;
    const answer = parseMessage(text);
    if (answer?.['jsonrpc'] === '2.0') return answer;
    const { code, message: reason } = (answer?.['error'] ?? {}) as {
      readonly code?: string;
      readonly message?: string;
    };
    const shown =
      code === undefined ? `HTTP ${response.status} with an unexpected response.` : `${code}: ${reason ?? ''}`;
    return toError(id, serverError, shown);
  } catch (error) {
    const { cause, message: reason } = error as Error & {
      readonly cause?: { readonly message?: string; readonly code?: string };
    };
    return answers
      ? toError(id, serverError, `The request to ${endpoint.origin} failed: ${cause?.message || cause?.code || reason}`)
      : undefined;
  }
}

const envelopeVersion = 'io.modelcontextprotocol/protocolVersion';

/**
 * HTTP headers that mirror a message (MCP 2026-07-28, Streamable HTTP). Messages of earlier protocols need none: the
 * service keeps no session.
 */
function headersOf({ method, params, id }: Message): Record<string, string> {
  const { _meta: meta, name } = (params ?? {}) as { readonly _meta?: Message; readonly name?: unknown };
  const version = meta?.[envelopeVersion];
  const isModern = typeof version === 'string' && id !== undefined;
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(typeof version === 'string' && { 'MCP-Protocol-Version': version }),
    ...(isModern && typeof method === 'string' && { 'Mcp-Method': method }),
    ...(isModern && method === 'tools/call' && typeof name === 'string' && { 'Mcp-Name': toHeaderValue(name) }),
  };
}

/** Text that a header cannot contain verbatim is sent in base64 (MCP 2026-07-28, value encoding). */
const toHeaderValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

const toError = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

function parseMessage(text: string): Message | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
