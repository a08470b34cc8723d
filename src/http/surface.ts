/** The faces of the service; each has an error body of its own. */
export type Surface = 'rest' | 'graphql' | 'oauth' | 'other';

const roots: readonly (readonly [root: string, surface: Surface])[] = [
  ['/v1', 'rest'],
  ['/graphql', 'graphql'],
  ['/subgraph', 'graphql'],
  ['/oauth', 'oauth'],
];

/** The path of a request target in origin form: everything before the query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** The surface that a request target belongs to, known or unknown as a route. */
export function surfaceOf(target: string): Surface {
  const path = pathOf(target);
  const found = roots.find(([root]) => path === root || path.startsWith(`${root}/`));
  return found === undefined ? 'other' : found[1];
}

/** Whether scripts of other origins may read nothing of the path, errors included: metrics, and the pages with the demo key. */
export function isSameOriginPath(target: string): boolean {
  const path = pathOf(target);
  return path === '/metrics' || path === '/favicon.ico' || path === '/explorer' || path.startsWith('/explorer/');
}

/** Whether every response of the surface carries the rate-limit headers (D19). */
export const isRateLimited = (surface: Surface): boolean => surface === 'rest' || surface === 'graphql';
