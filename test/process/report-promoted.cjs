// Loaded into the service by young-objects.nightly.test.ts. For consecutive minor garbage collections, writes a line of
// JSON with the bytes by which they and later allocations made the old generation larger.
const { PerformanceObserver, constants } = require('node:perf_hooks');
const { getHeapSpaceStatistics } = require('node:v8');

const readOldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size;
let before = readOldBytes();
new PerformanceObserver((list) => {
  const after = readOldBytes();
  const kinds = list.getEntries().map(({ detail }) => detail.kind);
  // A major collection makes it smaller.
  if (kinds.every((kind) => kind === constants.NODE_PERFORMANCE_GC_MINOR)) {
    process.stderr.write(`${JSON.stringify({ promoted: after - before })}\n`);
  }
  before = after;
}).observe({ entryTypes: ['gc'] });
