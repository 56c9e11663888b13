/** The mark of a store that is being filled by a copy. Until the copy is finished, the store is opened for nothing else. */
import type { Steps } from './steps.ts'
import { setting } from './teams/settings.ts'

/** The setting with the progress of the copy. */
export const UNFINISHED_COPY = 'unfinished_copy'

export function* isUnfinishedCopy(): Steps<boolean> {
  return (yield* setting(UNFINISHED_COPY)) !== undefined
}

/** Ends the sentence "The store … cannot be used: …". */
export const UNFINISHED_WHY = 'it holds an unfinished copy of another store'

/** Instructions for an unfinished copy. */
export const UNFINISHED_REMEDIES: readonly string[] = [
  'To finish the copy, run the same command again: svc engine copy --from SOURCE --to TARGET',
  'To discard it, remove the folder, or drop the database and create it again.',
]
