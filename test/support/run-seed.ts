/**
 * The seed of every random test: the same in each run, so that no change fails by chance. `SEED=random`
 * (jest.config.mjs) tries other inputs, and `SEED=<number>` repeats a run.
 */
export const runSeed = Number(process.env['SEED'] ?? 20_261_123);
