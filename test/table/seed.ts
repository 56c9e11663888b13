/** Prints the seed of property tests, so that a failure can be repeated: FC_SEED=… runs the same cases. */
import type { Parameters } from 'fast-check'

export function printSeed(name: string, numRuns: number): Parameters<unknown> & { readonly numRuns: number } {
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
  console.log(`${name}: seed ${seed} (repeat with FC_SEED=${seed})`)
  return { seed, numRuns }
}
