'use strict';
// Loaded into the service by `npm run soak`: what is still in use is known only after a garbage collection, which V8
// delays while there is room. SIGWINCH reports a terminal's new size, so nothing else listens to it.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGWINCH', () => {
  // What the first one finalizes, the second one frees.
  collect();
  collect();
});
