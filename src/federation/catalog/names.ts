/** The catalog's name in every supergraph, composed here or elsewhere. */
export const catalogName = 'catalog';

/** The subgraph of this process that finds nodes across the others. */
export const nodesName = 'nodes';
