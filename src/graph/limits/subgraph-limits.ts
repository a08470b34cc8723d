import type { LimitSettings } from './limits';

/**
 * For /subgraph: a router requests all entities of an answer at once, and applies its own limits to its clients. As
 * many as the largest body holds, each worth a few points.
 */
export const subgraphLimits: LimitSettings = {
  maxCost: 60_000,
  maxVariableListLength: 5_000,
  maxVariableBytes: 262_144,
};
