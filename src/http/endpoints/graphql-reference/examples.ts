import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentNode, EnumTypeDefinitionNode, InputObjectTypeDefinitionNode, TypeNode } from 'graphql';
import { Kind } from 'graphql';
import { printJson } from '../shell/render-shell';

/** An operation that shows one query. */
export interface QueryExample {
  readonly query: string;
  /** The response of the demo shop. */
  readonly answer: string;
  /** As JSON. */
  readonly variables: string;
  /** The list that provides the id in the variables. */
  readonly list?: string;
}

const variablesOf: Readonly<Record<string, Pick<QueryExample, 'list' | 'variables'>>> = {
  variant: { list: 'variants', variables: '{"id":"VARIANT_ID"}' },
  collection: { list: 'collections', variables: '{"id":"COLLECTION_ID"}' },
  order: { list: 'orders', variables: '{"id":"ORDER_ID"}' },
  node: { list: 'products', variables: '{"id":"PRODUCT_ID"}' },
  nodes: { list: 'orders', variables: '{"ids":["ORDER_ID"]}' },
};

/** By the name of the query. */
export function readQueryExamples(): ReadonlyMap<string, QueryExample> {
  const answers = JSON.parse(readFileSync(join(__dirname, 'examples.json'), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  const documents = readFileSync(join(__dirname, 'examples.graphql'), 'utf8').trimEnd().split('\n\n');
  return new Map(
    documents.map((query) => {
      const [name = ''] = /(?<=^query )\w+/.exec(query) ?? [];
      const field = name.charAt(0).toLowerCase() + name.slice(1);
      return [field, { query, answer: printJson({ data: answers[field] }), variables: '{}', ...variablesOf[field] }];
    }),
  );
}

const literals: Readonly<Record<string, string>> = {
  Boolean: 'true',
  DateTime: '"2026-01-01T00:00:00Z"',
  Decimal: '"10"',
  ID: '"00000000-0000-0000-0000-000000000000"',
  Int: '1',
  Long: '1',
};

/** By the name of the field, without suffixes such as `In`. */
const texts: Readonly<Record<string, string>> = {
  barcode: '4006381333931',
  currency: 'EUR',
  financialStatus: 'PAID',
  fulfillmentStatus: 'FULFILLED',
  handle: 'enamel-mug-moewe',
  orderNumber: '#1010',
  query: 'mug',
  tag: 'gift',
};

/** A value that the field of a filter accepts, as a literal. */
export function exampleValue(schema: DocumentNode, type: TypeNode, field: string): string {
  if (type.kind === Kind.NON_NULL_TYPE) return exampleValue(schema, type.type, field);
  if (type.kind === Kind.LIST_TYPE) return `[${exampleValue(schema, type.type, field)}]`;
  const name = type.name.value;
  const defined = schema.definitions.find((one) => 'name' in one && one.name?.value === name) as
    EnumTypeDefinitionNode | InputObjectTypeDefinitionNode | undefined;
  if (defined?.kind === Kind.ENUM_TYPE_DEFINITION) return defined.values?.[0]?.name.value ?? '';
  const [first] = defined?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? (defined.fields ?? []) : [];
  if (first) return `{ ${first.name.value}: ${exampleValue(schema, first.type, field)} }`;
  const plain = field.replace(/(?:In|s|sAny|sAll)$/, '');
  return literals[name] ?? JSON.stringify(texts[field] ?? texts[plain] ?? plain);
}

/** A call of a list with one condition. */
export const filterExample = (list: string, condition: string): string =>
  `{\n  ${list}(first: 3, filter: { ${condition} }) {\n    nodes {\n      id\n    }\n  }\n}`;
