/** Pairs the nights in Garmin Connect's own lists with those in FIT files, so that each is stored once: with the stages of the file. */
import type { SummaryRecord } from '../../../core/sample.ts'
import { type EpochMs, readInstant } from '../../../core/time.ts'
import type { StatedBeside } from '../archive/activity-file.ts'
import { addNight, type Night } from '../archive/nights.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { HeldRecords } from './held.ts'

/** Two nights are the same if they share more than this part of the shorter one. */
const SAME_SHARE = 0.5

export class GarminNights {
  private readonly run: ArchiveRun
  private readonly held: HeldRecords<Night>

  constructor(run: ArchiveRun) {
    this.run = run
    this.held = new HeldRecords(run, 'nights')
  }

  /** Reads a night or a nap in a list. */
  add(night: Night): void {
    if (night.start === undefined || night.end === undefined) addNight(this.run, night)
    else this.held.hold(night.end.ms, night)
  }

  /** Returns what the lists, all of which have been read, say about a night in a file. */
  statedOf({ at: end, document }: SummaryRecord): StatedBeside | undefined {
    const start = readInstant(document['bedtime_start'])
    if (start === undefined) return undefined
    const same = this.held.near(end).filter(({ item }) => isSame({ start, end }, item))
    for (const each of same) each.isInFile = true
    const { score, hr_average, respiratory_rate } = same[0]?.item.fields ?? {}
    return { missing: { score, hr_average, respiratory_rate } }
  }

  finish(): void {
    const reason = 'nights that are stored from their files, with the scores of the list'
    this.held.finish(reason, night => addNight(this.run, night))
  }
}

function isSame({ start, end }: { readonly start: EpochMs; readonly end: EpochMs }, night: Night): boolean {
  const [from, to] = [night.start?.ms ?? end, night.end?.ms ?? start]
  const shared = Math.min(end, to) - Math.max(start, from)
  return shared > SAME_SHARE * Math.min(end - start, to - from)
}
