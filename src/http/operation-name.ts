import { operations } from '../../rest/operations';

const exact = new Map([
  ['/graphql', 'graphql'],
  ['/subgraph', 'subgraph'],
  ['/oauth/token', 'token'],
  ['/v1/openapi.json', 'metadata'],
  ['/livez', 'health'],
  ['/readyz', 'health'],
  ['/metrics', 'health'],
  ['/favicon.ico', 'explorer'],
  ['/explorer', 'explorer'],
]);

const beneath = [
  ['/.well-known/', 'metadata'],
  ['/explorer/', 'explorer'],
] as const;

const patterns: [pattern: RegExp, operationId: string][] = [];
for (const { path, operationId } of operations) {
  if (!path.includes('{')) exact.set(`/v1${path}`, operationId);
  else patterns.push([new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operationId]);
}

/**
 * What metrics, log and traces call a request: a word of ours, found before any handler runs, so that a refusal in front of the
 * handler has the name too. Nothing that a client sends gets into it.
 */
export function toOperationName(path: string): string {
  return (
    exact.get(path) ??
    patterns.find(([pattern]) => pattern.test(path))?.[1] ??
    beneath.find(([start]) => path.startsWith(start))?.[1] ??
    'unknown'
  );
}
