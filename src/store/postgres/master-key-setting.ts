/** Stores the master key's fingerprint, so that all nodes use the same key. */
import type { Database } from '../logic/database.ts'
import type { Steps } from '../logic/steps.ts'
import { putSetting, setting } from '../logic/teams/settings.ts'
import { compareMasterKey } from './master-key-check.ts'

export const MASTER_KEY_CHECK = 'master_key_check'

/** Stores the fingerprint if this is the first node. Throws ServiceError `master_key` if this node's key is different. */
export async function agreeOnMasterKey(db: Database, fingerprint: string): Promise<void> {
  const stored = (await db.read(() => setting(MASTER_KEY_CHECK))) ?? (await db.write(() => settingOr(fingerprint)))
  compareMasterKey(fingerprint, `${stored}`)
}

/** Returns the stored setting, or stores the given one. Two nodes may do this at the same time. */
function* settingOr(fingerprint: string): Steps<string | number> {
  const stored = yield* setting(MASTER_KEY_CHECK)
  if (stored !== undefined) return stored
  yield* putSetting(MASTER_KEY_CHECK, fingerprint)
  return fingerprint
}
