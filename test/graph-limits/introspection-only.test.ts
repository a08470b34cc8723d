import { getIntrospectionQuery, parse } from 'graphql';
import { introspectionFields, selectsOnly } from '../../src/graph/public-operation';

describe('an operation is introspection only when its root selects nothing else (D26)', () => {
  // Rows of equal length: for a missing last argument, Jest passes a callback to wait for.
  const rows: [expected: boolean, source: string, operationName?: string][] = [
    [true, getIntrospectionQuery()],
    [true, '{ __typename }'],
    [true, '{ __schema { queryType { name } } __type(name: "Product") { name } a: __typename }'],
    [
      true,
      '{ ...A ... { __typename ... on Query { __typename } } } fragment A on Query { ...B ...B } fragment B on Query { __typename }',
    ],
    [true, 'query A { __typename } query B { shop { id } }', 'A'],
    [true, '{ ...A } fragment A on Query { __typename ...A }'],
    [false, 'query A { __typename } query B { shop { id } }', 'B'],
    [false, 'query A { __typename } query B { __typename }'],
    [false, 'query A { __typename }', 'C'],
    [false, '{ shop { __typename } }'],
    [false, '{ __typename shop { id } }'],
    [false, '{ __typename: shop { id } }'],
    [false, '{ shop @skip(if: true) { id } __typename }'],
    [false, '{ __typename ...A } fragment A on Query { ...B } fragment B on Query { shop { id } }'],
    [false, '{ __typename ...Missing }'],
    [false, '{ _service { sdl } }'],
    [false, 'mutation { __typename }'],
    [false, 'subscription { __typename }'],
    [false, 'fragment A on Query { __typename }'],
  ];
  test.each(rows.map((row) => ({ row, name: row.join(' ') })))(
    '$name',
    ({ row: [expected, source, operationName] }) => {
      expect(selectsOnly(parse(source), operationName, introspectionFields)).toBe(expected);
    },
  );
});
