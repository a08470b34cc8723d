/**
 * What every random test begins with: the same in each run, so that a change fails for what it does and not for its
 * luck. `SEED=random` (jest.config.mjs) looks elsewhere, and `SEED=<number>` repeats what it found.
 */
export const runSeed = Number(process.env['SEED'] ?? 20_261_123);
