import type { LimitSettings } from './limits';

/**
 * For /subgraph: a router asks for all entities of an answer at once, and has limits of its own in front of its clients.
 * As many as the largest body holds, each worth a few points.
 */
export const subgraphLimits: LimitSettings = {
  maxCost: 60_000,
  maxVariableListLength: 5_000,
  maxVariableBytes: 262_144,
};
