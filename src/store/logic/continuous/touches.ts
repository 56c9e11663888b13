/** Collects the time range that a write touches for each resource and summary kind, and makes continuous queries due accordingly. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { type EpochMs, parseDate } from '../../../core/time.ts'
import type { TimeRange } from '../../continuous-query.ts'
import { storedJson } from '../rows/damage.ts'
import type { SummaryRow } from '../samples/summaries.ts'
import type { Steps } from '../steps.ts'
import { listTeamQueries } from './queries.ts'
import { touchState, union } from './state.ts'

/** The fields that determine a summary's time in the tables of aggregate queries. */
type SummaryPosition = Pick<SummaryRow, 'at' | 'date' | 'updated_at'> & { readonly document: Document }
/** The document, as stored or as received. */
type Document = string | Readonly<Record<string, unknown>>

/** The data that one write touches, collected during the write and evaluated once in the same transaction. */
export class Touches {
  private readonly ranges = new Map<string, TimeRange>()

  /** Adds samples that were created, changed or removed. `from` and `to` are sample starts. */
  samples(resource: string, from: EpochMs, to: EpochMs): void {
    this.add(`timeseries/${resource}`, { from, to })
  }

  /** Adds a summary's previous or current version. An absent summary touches nothing. */
  summary(kind: string, row: SummaryPosition | null | undefined): void {
    if (!row) return
    const times = [row.at, parseDate(row.date) ?? row.at]
    // a profile has the time of its last change
    if (kind === 'profile') times.push(row.updated_at)
    // a cycle is assigned to the first day of its period, whatever date it is listed under
    const told = kind === 'menstrual_cycle' ? periodStart(row.document) : undefined
    if (told !== undefined) times.push(told)
    this.add(`summary/${kind}`, { from: Math.min(...times), to: Math.max(...times) })
  }

  /** Makes the queries due that read the touched data. Takes only one index lookup if the team has no continuous queries. */
  *settle(teamId: TeamId, userId: UserId, at: EpochMs): Steps<void> {
    if (this.ranges.size === 0) return
    for (const { queryId, reads, minimumGapMs } of yield* listTeamQueries(teamId)) {
      let range: Parameters<typeof union>[0] = { from: null, to: null }
      for (const read of reads) range = union(range, this.ranges.get(read) ?? { from: null, to: null })
      if (range.from === null || range.to === null) continue
      yield* touchState({ userId, queryId, minimumGapMs }, { from: range.from, to: range.to }, at)
    }
  }

  private add(read: string, range: TimeRange): void {
    const known = this.ranges.get(read)
    this.ranges.set(read, known ? { from: Math.min(known.from, range.from), to: Math.max(known.to, range.to) } : range)
  }
}

function periodStart(document: Document): EpochMs | undefined {
  const read =
    typeof document === 'string'
      ? storedJson<Readonly<Record<string, unknown>>>(document, () => ({ what: 'a summary', userId: null }))
      : document
  const told = read['period_start']
  return typeof told === 'string' ? parseDate(told) : undefined
}
