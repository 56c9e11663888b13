/** Stores the subscriptions of apps at providers as rows. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { SubscriptionRecord } from '../../live/subscriptions.ts'
import { PROVIDER_SUBSCRIPTION } from '../../tables/live.ts'
import { part, read, write } from '../part.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { command, many, run, type Steps } from '../steps.ts'

type SubscriptionRow = AsRow<SubscriptionRecord>

const SUBSCRIPTIONS = new PlainRows<SubscriptionRow>(PROVIDER_SUBSCRIPTION)
const OF_OAUTH_APP = SUBSCRIPTIONS.query('WHERE team_id=? AND provider=? ORDER BY name')
const DUE = SUBSCRIPTIONS.query('WHERE due_at<=? ORDER BY due_at LIMIT ?')
const REMOVE = command('DELETE FROM provider_subscription WHERE team_id=? AND provider=? AND name=?')

export class SubscriptionStore extends part({
  list: read(list),
  due: read(due),
  put: write((subscription: SubscriptionRecord) => SUBSCRIPTIONS.put(asRow(subscription))),
  remove: write((teamId: TeamId, provider: string, name: string) => run(REMOVE, [teamId, provider, name])),
}) {}

function* list(teamId: TeamId, provider: string): Steps<SubscriptionRecord[]> {
  return (yield* many(OF_OAUTH_APP, [teamId, provider])).map(fromRow)
}

function* due(now: EpochMs, limit: number): Steps<SubscriptionRecord[]> {
  return (yield* many(DUE, [now, limit])).map(fromRow)
}

function fromRow(row: SubscriptionRow): SubscriptionRecord {
  return { ...asRecord(row), teamId: row.team_id as TeamId }
}
