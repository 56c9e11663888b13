/** Records of a list that wait for the files in the archive, which may have the same records with more detail. */
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { ArchiveRun } from '../archive/run.ts'

/** Maximum number of records of a family, enough for more than a lifetime. */
const MOST_HELD = 200_000
/** Maximum number of records of a day that `near` finds, because a hostile list could have all of them on one day. */
const MOST_NEAR = 1000

export interface Held<Item> {
  readonly item: Item
  readonly position: string
  isInFile: boolean
}

export class HeldRecords<Item> {
  private readonly run: ArchiveRun
  private readonly family: string
  private readonly all: Held<Item>[] = []
  private readonly byDay = new Map<number, Held<Item>[]>()

  constructor(run: ArchiveRun, family: string) {
    this.run = run
    this.family = family
  }

  /** Keeps a record. `at` is the time by which `near` finds it. */
  hold(at: EpochMs, item: Item) {
    const { run, all, family } = this
    if (all.length >= MOST_HELD) return run.skip(`${family} after the first ${MOST_HELD}`)
    const held = { item, position: run.positionOf(), isInFile: false }
    all.push(held)
    const day = getOrInsert(this.byDay, dayOf(at), () => [])
    if (day.length < MOST_NEAR) day.push(held)
    run.hold()
  }

  /** Returns the records of the day of a time, of the day before and of the day after. */
  near(at: EpochMs): readonly Held<Item>[] {
    const day = dayOf(at)
    return [day - 1, day, day + 1].flatMap(each => this.byDay.get(each) ?? [])
  }

  /** Adds the records that are in no file, and skips the others with a reason. */
  finish(reason: string, add: (item: Item) => void): void {
    this.run.family = this.family
    for (const { item, position, isInFile } of this.all) {
      this.run.positionOf = () => position
      if (isInFile) this.run.skip(reason)
      else add(item)
    }
  }
}

function dayOf(at: EpochMs): number {
  return Math.floor(at / DAY_MS)
}
