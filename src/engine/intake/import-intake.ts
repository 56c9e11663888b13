/** Receives the items that an importer yields: passes them on to the spool and counts them. */

import type { DateOrderChoice, ImportItem } from '../../connectors/files/importer.ts'
import { ServiceError } from '../../core/errors.ts'
import { getOrInsert } from '../../core/maps.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { formatCount } from '../../core/text.ts'
import { withWholeText } from '../../core/whole-text.ts'
import type { SkippedRecords } from '../../store/data-write.ts'
import type { ImportSpool } from '../../store/imports/spool.ts'
import type { UserRecord } from '../../store/user.ts'
import { type DayRange, extendDays } from './day-ranges.ts'
import { countImplausible } from './implausible-counts.ts'
import { withinBounds } from './ingestion.ts'

/** Number of samples held in memory before they are written to the scratch file. Also the number of samples that a summary counts as. */
const SPOOL_SAMPLES = 50_000
const SUMMARY_WEIGHT = 10
const OUTSIDE_BOUNDS = "outside the user's ingestion bounds"
/** Maximum number of positions listed for each reason, regardless of how many an importer yields. */
const MOST_POSITIONS = 3
/** Maximum number of reasons in a message. */
const MOST_REASONS = 5

export class ImportIntake {
  /** Number of items with data: samples, summaries and streams. */
  taken = 0
  /** The order of day and month in the file's dates, or null if only one order is possible. */
  dateOrder: DateOrderChoice | null = null
  private batches: SampleBatch[] = []
  private summaries: SummaryRecord[] = []
  private streams: StreamRecord[] = []
  private held = 0
  /** Whether any data within the user's bounds was spooled. */
  hasData = false
  /** Number of spooled samples outside the limits of their resource, by resource. */
  readonly implausible = new Map<string, number>()
  /** The first and last date of the spooled data, by resource and kind of summary. */
  readonly days = new Map<string, DayRange>()
  /** How records were read, with their numbers. */
  readonly notices = new Map<string, number>()
  /** Number of records counted so far. `stated` is the importer's own count, once it has reported it. */
  private counted = 0
  private stated: number | null = null
  private readonly reasons = new Map<string, { count: number; readonly places: string[] }>()
  private readonly spool: ImportSpool
  private readonly user: UserRecord

  constructor(spool: ImportSpool, user: UserRecord) {
    this.spool = spool
    this.user = user
  }

  async add(item: ImportItem): Promise<void> {
    switch (item.kind) {
      case 'samples':
        this.batches.push(item.batch)
        this.counted += item.batch.n
        return this.hold(item.batch.n)
      case 'summary':
        this.summaries.push(withWholeText(item.summary))
        // a sleep_cycle comes from the same records as its sleep
        if (item.summary.kind !== 'sleep_cycle') this.counted++
        return this.hold(SUMMARY_WEIGHT)
      case 'stream':
        this.streams.push(withWholeNames(item.stream))
        return this.hold(item.stream.n)
      case 'skipped':
        this.counted += item.count
        return this.skip(item.reason, item.count, item.places)
      case 'notice':
        this.notices.set(item.text, (this.notices.get(item.text) ?? 0) + item.count)
        return
      case 'date_order':
        this.dateOrder = item.choice
        return
      case 'end':
        this.stated = item.records
    }
  }

  /** Number of records in the file, or in the part before the position at which reading stopped. */
  get records(): number {
    return this.stated ?? this.counted
  }

  /** The reasons for skipped records, most frequent first. */
  get skipped(): readonly SkippedRecords[] {
    const all = [...this.reasons].map(([reason, { count, places }]) => ({ reason, count, places }))
    return all.sort((a, b) => b.count - a.count)
  }

  async flush(): Promise<void> {
    const held = { batches: this.batches, summaries: this.summaries, streams: this.streams }
    this.batches = []
    this.summaries = []
    this.streams = []
    this.held = 0
    const { data, dropped } = withinBounds(this.user, held)
    this.skip(OUTSIDE_BOUNDS, dropped, [])
    this.hasData ||= data.summaries.length > 0 || data.streams.length > 0 || data.batches.some(({ n }) => n > 0)
    countImplausible(data.batches, this.implausible)
    extendDays(this.days, data)
    await this.spool.add(data)
  }

  /** Throws ServiceError `invalid_file` with the reasons if the file has records but none of them can be stored. */
  checkHasData(): void {
    const { records, skipped, hasData } = this
    if (!hasData && records > 0) throw nothingStored(records, skipped)
  }

  private async hold(weight: number): Promise<void> {
    this.taken++
    this.held += weight
    if (this.held >= SPOOL_SAMPLES) await this.flush()
  }

  private skip(reason: string, count: number, places: readonly string[]): void {
    if (count === 0) return
    const known = getOrInsert(this.reasons, reason, () => ({ count: 0, places: [] }))
    known.count += count
    known.places.push(...places.slice(0, MOST_POSITIONS - known.places.length))
  }
}

/** Converts a stream's names to valid text. A stream has no other text, because its points are numbers. */
function withWholeNames(stream: StreamRecord): StreamRecord {
  const { workoutId, providerId, sport } = stream
  return { ...stream, ...withWholeText({ workoutId, providerId, sport }) }
}

const CHECK_READING =
  'Check that the file is what you meant to import, and how it is read: --format chooses the format, and for tables --map, ' +
  '--where, --resource, --unit and --date-order describe the columns.'

/** Returns the error for a file in which no record can be stored, with the most frequent reasons. */
export function nothingStored(records: number, skipped: readonly SkippedRecords[]): ServiceError {
  const all = records === 1 ? 'Its only record was skipped' : `All of its ${formatCount(records)} records were skipped`
  const reasons = skipped.slice(0, MOST_REASONS).map(({ reason, count, places }) => {
    const where = places.length === 0 ? '' : `: ${places.join(', ')}${count > places.length ? ' …' : ''}`
    return `${reason} (${formatCount(count)}${where})`
  })
  const more = skipped.length - reasons.length
  if (more > 0) reasons.push(`${more} other reason${more === 1 ? '' : 's'}`)
  return new ServiceError('invalid_file', `Nothing in the file could be stored. ${all}: ${reasons.join('; ')}.`, {
    suggestions: [CHECK_READING],
  })
}
