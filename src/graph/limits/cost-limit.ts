import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/**
 * Bounds how large the answer may become. Sizes of pages and lists multiply, so neither depth nor number of fields
 * limits it.
 */
export const costLimit: OperationLimit = {
  name: 'cost',
  basis: 'request',
  explainExcess: ({ cost, variables }, { maxCost }) => {
    const requested = cost.cost(variables);
    if (requested <= maxCost) return undefined;
    const most = cost.mostExpensive(variables);
    const where = most ? ` The field ${most.path} costs most: ${toCountText(most.cost)}.` : '';
    return `The operation costs ${toCountText(requested)} points; at most ${maxCost} are allowed.${where} Ask for smaller pages or fewer nested lists.`;
  },
};
