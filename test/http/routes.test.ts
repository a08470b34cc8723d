import { allRoutes, findRoute, isRateLimited, operationOf, surfaceOf } from '../../src/http/routes';

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

  it.each([
    ['/v1/shop', 'getShop'],
    ['/v1/products', 'listProducts'],
    ['/v1/products?q=%2F', 'listProducts'],
    ['/v1/products/x', 'getProduct'],
    ['/v1/products/%2F', 'getProduct'],
    ['/v1/collections', 'listCollections'],
    ['/v1/orders', 'listOrders'],
    ['/v1/openapi.json', 'metadata'],
    ['/graphql', 'graphql'],
    ['/graphql?query=x', 'graphql'],
    ['/subgraph', 'subgraph'],
    ['/changes', 'changes'],
    ['/changes?after=now', 'changes'],
    ['/changes/', 'unknown'],
    ['/mcp', 'mcp'],
    ['/export', 'export'],
    ['/export?types=orders', 'export'],
    ['/export/', 'unknown'],
    ['/oauth/token', 'token'],
    ['/.well-known/jwks.json', 'metadata'],
    ['/.well-known/oauth-protected-resource/v1', 'metadata'],
    ['/.well-known/', 'metadata'],
    ['/livez', 'health'],
    ['/readyz', 'health'],
    ['/metrics', 'health'],
    ['/explorer', 'explorer'],
    ['/explorer/assets/react.js', 'explorer'],
    ['/favicon.ico', 'explorer'],
    ['/', 'reference'],
    ['/reference', 'reference'],
    ['/reference/assets/console.js', 'reference'],
    ['/reference.md', 'reference'],
    ['/dashboard', 'dashboard'],
    ['/dashboard/assets/dashboard.js', 'dashboard'],
    ['/dashboard/', 'unknown'],
    ['/llms.txt', 'reference'],
    ['/schema.graphql', 'reference'],
    ['/changelog', 'reference'],
    ['/v1/products/', 'unknown'],
    ['/v1/products/x/y', 'unknown'],
    ['/v1/openapiXjson', 'unknown'],
    ['/.well-known', 'unknown'],
    ['/Xwell-known/x', 'unknown'],
    ['/explorers', 'unknown'],
    ['/graphql/', 'unknown'],
    ['*', 'unknown'],
    ['/constructor', 'unknown'],
  ])('calls %s %s', (target, operation) => expect(operationOf(target)).toBe(operation));

  it('limits all of /v1, /graphql and /subgraph, unknown routes included, and nothing else (D19)', () => {
    for (const target of limited) expect([target, isRateLimited(target)]).toEqual([target, true]);
    for (const target of unlimited) expect([target, isRateLimited(target)]).toEqual([target, false]);
    for (const { path, charge } of allRoutes) {
      expect([path, isRateLimited(path)]).toEqual([path, charge === 'key' || charge === 'address']);
    }
  });

  it('finds no route for a path next to one', () => {
    expect(findRoute('/v1/shop/')).toBeUndefined();
    expect(findRoute('/__proto__')).toBeUndefined();
  });
});
