import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Graph } from '../../../graph/graph';
import { readAnswer } from './operation-tools';
import type { JsonSchema, Tool, ToolArguments } from './tool';
import { text } from './tool';

const readDocument = (name: string): string => readFileSync(join(__dirname, 'operations', `${name}.graphql`), 'utf8');

const outputSchema: JsonSchema = { type: 'object', properties: { data: { type: 'object' } }, required: ['data'] };

/** Figures of the shop, for questions about how many and how much. */
export function createFigureTools(graph: Graph): readonly Tool[] {
  const ofProducts = graph.prepare(readDocument('get_product_figures'), ({ productFigures }) => ({
    data: productFigures,
  }));
  const ofOrders = graph.prepare(readDocument('get_order_figures'), ({ orderFigures }) => ({ data: orderFigures }));
  return [
    {
      name: 'get_product_figures',
      title: 'Products, counted',
      description: 'Products by status, vendor, type, tag and lowest price, and how many are out of stock.',
      scopes: ['catalog:read'],
      properties: { first: { type: 'integer', minimum: 1, maximum: 200, description: 'Vendors, types and tags; 10.' } },
      outputSchema,
      run: (principal, given) =>
        readAnswer(graph, { operation: ofProducts, principal, variables: { first: given['first'] ?? 10 } }),
    },
    {
      name: 'get_order_figures',
      title: 'Orders, counted and summed up',
      description: 'Orders and revenue by currency, in all and by day, week or month.',
      scopes: ['orders:read'],
      properties: {
        interval: { type: 'string', enum: ['DAY', 'WEEK', 'MONTH'] },
        time_zone: { ...text, description: 'Such as Europe/Berlin; UTC.' },
        from: { ...text, description: 'Timestamp in UTC, included.' },
        to: { ...text, description: 'Timestamp in UTC, excluded.' },
        financial_status: text,
      },
      outputSchema,
      run: (principal, given) =>
        readAnswer(graph, { operation: ofOrders, principal, variables: readFigureArguments(given) }),
    },
  ];
}

function readFigureArguments(given: ToolArguments): Readonly<Record<string, unknown>> {
  const { interval = 'MONTH', time_zone: timeZone = 'UTC', from = null, to = null, financial_status: status } = given;
  return {
    interval,
    timeZone,
    range: from === null && to === null ? null : { from, to },
    filter: status === undefined ? null : { financialStatus: status },
  };
}
