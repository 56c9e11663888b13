/** Marks a store as the target of an unfinished copy. Until the copy is finished, the store cannot be used for anything else. */
import type { Steps } from './steps.ts'
import { setting } from './teams/settings.ts'

/** Setting with the copy's progress. */
export const UNFINISHED_COPY = 'unfinished_copy'

export function* isUnfinishedCopy(): Steps<boolean> {
  return (yield* setting(UNFINISHED_COPY)) !== undefined
}

/** Ends the sentence "The store … cannot be used: …". */
export const UNFINISHED_WHY = 'it contains an unfinished copy of another store'

/** Instructions for an unfinished copy. */
export const UNFINISHED_REMEDIES: readonly string[] = [
  'To finish the copy, run the same command again: svc engine copy --from SOURCE --to TARGET',
  'To discard it, remove the folder, or drop the database and create it again.',
]
