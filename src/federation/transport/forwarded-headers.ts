/** The header with which routers identify themselves; Authorization is the client's. In lower case. */
export const routerSecretHeader = 'router-authorization';

/** The headers that authenticate this router to a subgraph: none if it has no secret for it. */
export const routerHeaders = (
  name: string,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  return secret === undefined ? {} : { [routerSecretHeader]: secret };
};

/**
 * Headers that are forwarded to subgraphs by default: those that correlate requests and those that negotiate the
 * answer. `authorization` is not among them, because the credential is for this service and gives its holder access to
 * the shop.
 */
export const defaultForwardedHeaders = ['x-request-id', 'traceparent', 'tracestate', 'accept-language'] as const;

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Headers that belong to one connection or one body, whatever the configuration allows (RFC 9110 section 7.6.1), and to
 * this router.
 */
const neverForwarded: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  routerSecretHeader,
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The client's headers that are on the list. */
export function forwardedHeaders(headers: HeaderValues, allowed: readonly string[]): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of allowed.map((word) => word.toLowerCase())) {
    const value = headers[name];
    if (value === undefined || neverForwarded.has(name)) continue;
    forwarded[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return forwarded;
}
