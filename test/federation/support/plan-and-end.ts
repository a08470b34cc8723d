import { createIsolatedPlanner } from '../../../src/federation/plan/isolated-planner';

/**
 * `node plan-and-end.ts <supergraph> <document>`: plans, prints which process did, and exits without further cleanup.
 */
const [, , supergraphSdl = '', source = ''] = process.argv;
const planner = createIsolatedPlanner(supergraphSdl);
void planner
  .plan({ source, operationName: undefined, percentage: 0 })
  .then(({ kind }) => console.log(`${kind} ${planner.processId}`));
