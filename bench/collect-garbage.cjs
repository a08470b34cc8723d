'use strict';
// Loaded into the service by `npm run soak`: what is still in use is known only after a garbage collection, which V8
// puts off while there is room. A terminal that changes its size sends this signal, so nothing else listens to it.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGWINCH', () => {
  // What the first one finalizes, the second one frees.
  collect();
  collect();
});
