/** The part of the store for live providers. */
import type { LiveStore } from '../../live/live.ts'
import type { Database } from '../database.ts'
import { StoredBudgets } from './budgets.ts'
import { StoredGrants } from './grants.ts'
import { StoredNotifications } from './notifications.ts'
import { StoredLivePulls } from './pulls.ts'
import { StoredSetups } from './setups.ts'
import { StoredSubscriptions } from './subscriptions.ts'

export function liveStoreOver(db: Database): LiveStore {
  return {
    setups: new StoredSetups(db),
    grants: new StoredGrants(db),
    pulls: new StoredLivePulls(db),
    budgets: new StoredBudgets(db),
    notifications: new StoredNotifications(db),
    subscriptions: new StoredSubscriptions(db),
  }
}
