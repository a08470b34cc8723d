import { allRoutes, findRoute, isRateLimited, operationOf, surfaceOf } from '../../src/http/routes';
import { readRows } from '../support/read-rows';

const limited = ['/v1', '/v1/', '/v1/nothing', '/graphql/x', '/subgraph/'];
const unlimited = [
  '/',
  '*',
  '',
  '/v10',
  '/V1/shop',
  '/graphqlx',
  '/oauth/token',
  '/livez',
  '/.well-known/x',
  '/explorer',
];

describe('the table of routes', () => {
  it('has each path once, and one surface below each first segment', () => {
    expect(new Set(allRoutes.map(({ path }) => path)).size).toBe(allRoutes.length);
    for (const { path, surface } of allRoutes) expect([path, surfaceOf(path)]).toEqual([path, surface]);
  });

  it.each(readRows<[target: string, operation: string]>(__dirname, 'routes.json'))('calls %s %s', (target, operation) =>
    expect(operationOf(findRoute(target))).toBe(operation),
  );

  it('limits all of /v1, /graphql and /subgraph, unknown routes included, and nothing else (D19)', () => {
    for (const target of limited) expect([target, isRateLimited(target)]).toEqual([target, true]);
    for (const target of unlimited) expect([target, isRateLimited(target)]).toEqual([target, false]);
    for (const { path, charge } of allRoutes) {
      expect([path, isRateLimited(path)]).toEqual([path, charge === 'key' || charge === 'address']);
    }
  });
});
