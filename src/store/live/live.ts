/**
 * Live providers: set-ups, grants, progress of pulls, rate budgets, notifications, subscriptions and raw answers. Everything here goes by the
 * real clock, whatever the engine's clock says. A restore, a reset and a replay keep the grants that are there and bring back none; copies of
 * the database that leave it have no secrets. Part of the port (port.ts).
 */
import type { BudgetStore } from './budgets.ts'
import type { GrantStore } from './grants.ts'
import type { NotificationStore } from './notifications.ts'
import type { LivePullStore } from './pulls.ts'
import type { SetupStore } from './setups.ts'
import type { SubscriptionStore } from './subscriptions.ts'

export interface LiveStore {
  readonly setups: SetupStore
  readonly grants: GrantStore
  readonly pulls: LivePullStore
  readonly budgets: BudgetStore
  readonly notifications: NotificationStore
  readonly subscriptions: SubscriptionStore
}
