/** Takes in what an importer yields: hands it on to the spool, and keeps count of it. */
import type { ImportItem } from '../../connectors/files/importer.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { withWholeText } from '../../core/whole-text.ts'
import type { SkippedRecords, Spool } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/port.ts'
import { withinBounds } from './ingestion.ts'

/** Samples held in memory before they go to the scratch file; what else there is counts as so many. */
const SPOOL_SAMPLES = 50_000
const SUMMARY_WEIGHT = 10
const OUTSIDE_BOUNDS = "outside the user's ingestion bounds"
/** How many places a reason names, whatever an importer yields. */
const MOST_PLACES = 3

export class ImportIntake {
  /** Items that hold data: samples, summaries and streams. */
  taken = 0
  private batches: SampleBatch[] = []
  private summaries: SummaryRecord[] = []
  private streams: StreamRecord[] = []
  private held = 0
  /** Records that are accounted for so far; the importer's own number, once it has said it. */
  private counted = 0
  private stated: number | null = null
  private readonly reasons = new Map<string, { count: number; readonly places: string[] }>()
  private readonly spool: Spool
  private readonly user: UserRecord

  constructor(spool: Spool, user: UserRecord) {
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
        // a sleep_cycle shows the same records as its sleep
        if (item.summary.kind !== 'sleep_cycle') this.counted++
        return this.hold(SUMMARY_WEIGHT)
      case 'stream':
        this.streams.push(withWholeNames(item.stream))
        return this.hold(item.stream.n)
      case 'skipped':
        this.counted += item.count
        return this.skip(item.reason, item.count, item.places)
      case 'end':
        this.stated = item.records
    }
  }

  /** Records of the file, or, where it broke off, of the part before. */
  get records(): number {
    return this.stated ?? this.counted
  }

  /** Most frequent reason first. */
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
    await this.spool.add(data)
  }

  private async hold(weight: number): Promise<void> {
    this.taken++
    this.held += weight
    if (this.held >= SPOOL_SAMPLES) await this.flush()
  }

  private skip(reason: string, count: number, places: readonly string[]): void {
    if (count === 0) return
    let known = this.reasons.get(reason)
    if (known === undefined) {
      known = { count: 0, places: [] }
      this.reasons.set(reason, known)
    }
    known.count += count
    known.places.push(...places.slice(0, MOST_PLACES - known.places.length))
  }
}

/** The points of a stream are numbers: what it is called is all its text. */
function withWholeNames(stream: StreamRecord): StreamRecord {
  const { workoutId, providerId, sport } = stream
  return { ...stream, ...withWholeText({ workoutId, providerId, sport }) }
}
