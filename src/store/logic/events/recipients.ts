/** Finds an event's recipients: the team's enabled endpoints that subscribe to the event's type. */
import { matchesType } from '../../../catalogue/event-types.ts'
import type { TeamId } from '../../../core/ids.ts'
import { type Expected, many, query, type Steps } from '../steps.ts'
import { parsePatterns } from '../webhooks/endpoint-row.ts'

interface EndpointRow {
  readonly endpoint_id: string
  readonly event_types: string
}

const LIST_ENABLED = query<EndpointRow>(
  'SELECT endpoint_id, event_types FROM endpoint WHERE team_id=? AND disabled_at IS NULL',
)

/** Returns the statements that run for a transaction's first event. */
export function expectedRecipients(teamId: TeamId): Expected {
  return { statement: LIST_ENABLED, values: [teamId] }
}

/** One team's endpoints within a single transaction, which are looked up at the first event. */
export class Recipients {
  private rows: readonly EndpointRow[] | undefined
  private readonly teamId: TeamId

  constructor(teamId: TeamId) {
    this.teamId = teamId
  }

  *of(type: string): Steps<readonly string[]> {
    this.rows ??= yield* many(LIST_ENABLED, [this.teamId])
    return this.rows.filter(row => asksFor(row.event_types, type)).map(row => row.endpoint_id)
  }
}

const MOST_KNOWN = 10_000
/** Cached results. Global, because a result depends only on its key. */
const known = new Map<string, boolean>()

/**
 * Returns whether an endpoint subscribes to a type. `patterns` is the list as stored. The result is cached, because every write checks it.
 */
function asksFor(patterns: string, type: string): boolean {
  const question = `${type} ${patterns}`
  let isMatch = known.get(question)
  if (isMatch === undefined) {
    isMatch = parsePatterns(patterns).some(pattern => matchesType(pattern, type))
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(question, isMatch)
  }
  return isMatch
}
