import fc from 'fast-check';
import { runSeed } from './run-seed';

fc.configureGlobal({ seed: runSeed });

/** fast-check, with the seed of this run. */
export { fc };
