/**
 * Seed of all random cases. It is fixed, so that every run is the same; `SVC_TEST_SEED=N` sets another one, and `SVC_TEST_SEED=random`
 * draws one for the run, which prints it first.
 */
export const DEFAULT_SEED = 20_261_126

export const seed = Number(process.env['SVC_TEST_SEED'] ?? DEFAULT_SEED)
