import { createIsolatedPlanner } from '../../../src/federation/plan/isolated-planner';

/**
 * `node plan-and-end.ts <supergraph> <document>`: plans, says which process did, and leaves the rest to the end of this
 * one.
 */
const [, , supergraphSdl = '', source = ''] = process.argv;
const planner = createIsolatedPlanner(supergraphSdl);
void planner
  .plan({ source, operationName: undefined, percentage: 0 })
  .then(({ kind }) => console.log(`${kind} ${planner.processId}`));
