/** A subgraph with 2,000 types of ten fields each has 500 kB. */
export const maxSdlBytes = 1024 * 1024;
