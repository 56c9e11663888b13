/** Keeps the fingerprint of the master key in the store, so that all nodes use the same key. */
import type { Steps } from '../logic/steps.ts'
import { putSetting, setting } from '../logic/teams/settings.ts'
import { compareMasterKey } from './master-key-check.ts'

export const MASTER_KEY_CHECK = 'master_key_check'

/** Stores the fingerprint of the first node. Throws ServiceError `master_key` if another node has another one. */
export function* keepMasterKeyCheck(fingerprint: string): Steps<void> {
  const stored = yield* setting(MASTER_KEY_CHECK)
  if (stored === undefined) yield* putSetting(MASTER_KEY_CHECK, fingerprint)
  else compareMasterKey(fingerprint, `${stored}`)
}
