const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// A worker has nothing open when its loop ends. Freeing its environment takes long, or forever: see
// open-handles-reporter.cjs.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

/**
 * Jest's environment for Node, on an ordinary global object. Jest's is a proxy behind vm's interceptors, which makes
 * every use of a global (Buffer, Map, even undefined) so slow that parsers spend most of their time there.
 */
module.exports = class extends TestEnvironment {
  constructor(...given) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }
};
