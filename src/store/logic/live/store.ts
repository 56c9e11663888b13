/**
 * Implements the part of the port for live providers: OAuth apps, token sets, pull progress, request budgets, notifications, subscriptions
 * and raw responses. This part uses real time, not the engine's clock. A restore, a reset and a replay keep the existing token sets and do
 * not restore any. Exported copies of the database contain no secrets.
 */
import type { Database } from '../database.ts'
import { BudgetStore } from './budgets.ts'
import { NotificationStore } from './notifications.ts'
import { OAuthAppStore } from './oauth-apps.ts'
import { LivePullStore } from './pulls.ts'
import { SubscriptionStore } from './subscriptions.ts'
import { TokenSetStore } from './token-sets.ts'

export interface LiveStore extends ReturnType<typeof liveStoreOver> {}

export function liveStoreOver(db: Database) {
  return {
    oauthApps: new OAuthAppStore(db),
    tokenSets: new TokenSetStore(db),
    pulls: new LivePullStore(db),
    budgets: new BudgetStore(db),
    notifications: new NotificationStore(db),
    subscriptions: new SubscriptionStore(db),
  } as const
}
