/** Collects the values of a day from several parts into one activity summary. Totals of a day are never samples. */
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type IsoDate, parseDate } from '../../../core/time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import type { ArchiveRun } from './run.ts'

/** Fields of an activity summary, and those of its heart rate. */
export type DayFields = Readonly<Record<string, number | null | undefined>>

interface Day {
  readonly fields: Record<string, number>
  readonly heart: Record<string, number>
  records: number
}

/** Maximum number of days, enough for more than a lifetime. */
const MOST_DAYS = 40_000
const JOINED = 'records of a day that are joined into its summary'

export class DayBook {
  private readonly run: ArchiveRun
  private readonly sourceType: string
  private readonly offsetOn: (date: IsoDate) => number | null
  private readonly days = new Map<IsoDate, Day>()

  /** `offsetOn` returns the offset of a date, or null. */
  constructor(run: ArchiveRun, sourceType: string, offsetOn: (date: IsoDate) => number | null = () => null) {
    this.run = run
    this.sourceType = sourceType
    this.offsetOn = offsetOn
  }

  /**
   * Sets fields of a date that no earlier record has set, and heart rates. The record is counted at the end. Skips a record with a date that
   * cannot be, without a value, or that only repeats fields.
   */
  put(date: IsoDate | undefined, fields: DayFields, heart: DayFields = {}) {
    const day = this.open(date)
    if (day === undefined) return
    const given = [...known(fields, day.fields), ...known(heart, day.heart)]
    if (given.length === 0) return
    const fresh = given.filter(({ into, name }) => !Object.hasOwn(into, name))
    if (fresh.length === 0) return this.run.skip(`copies of ${this.run.family} that another part has for the same day`)
    for (const { into, name, value } of fresh) into[name] = value
    this.count(day)
  }

  /** Adds to a field of a date, for records of parts of the day. */
  add(date: IsoDate | undefined, fields: DayFields): void {
    const day = this.open(date)
    if (day === undefined) return
    const given = known(fields, day.fields)
    if (given.length === 0) return
    for (const { into, name, value } of given) into[name] = (into[name] ?? 0) + value
    this.count(day)
  }

  /** Adds the summaries. Call this once all parts have been read. */
  finish(): void {
    const { run } = this
    for (const [date, { fields, heart, records }] of this.days) {
      if (records === 0) continue
      const origin = run.origin(
        [run.importing.chooseSourceType(this.sourceType), date],
        date,
        this.offsetOn(date),
        this.sourceType,
      )
      const document = {
        ...rounded(fields),
        daily_movement: fields['distance'] ?? null,
        heart_rate: Object.keys(heart).length === 0 ? null : { ...heart },
      }
      run.summary(activitySummary(origin, document))
      run.skip(JOINED, records - 1, '')
    }
    this.days.clear()
  }

  private count(day: Day): void {
    day.records++
    this.run.hold()
  }

  private open(date: IsoDate | undefined): Day | undefined {
    const at = date === undefined ? undefined : parseDate(date)
    const problem = this.dateProblem(at)
    if (problem !== undefined || date === undefined) {
      this.run.skip(`${this.run.family} records ${problem}`)
      return undefined
    }
    return getOrInsert(this.days, date, () => ({ fields: {}, heart: {}, records: 0 }))
  }

  private dateProblem(at: number | undefined): string | undefined {
    if (at === undefined) return 'without a valid date'
    if (at > this.run.context.now + DAY_MS) return 'of a day in the future'
    if (at <= 0) return 'of a day before 1970-01-02, which stands for no date'
    return this.days.size >= MOST_DAYS ? `of more than ${MOST_DAYS} days` : undefined
  }
}

interface Given {
  readonly into: Record<string, number>
  readonly name: string
  readonly value: number
}

function known(fields: DayFields, into: Record<string, number>): Given[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'number' && Number.isFinite(value) ? [{ into, name, value }] : [],
  )
}

/** Sums of many fractions have errors in their last digits. */
function rounded(fields: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Math.round(value * 1e3) / 1e3]))
}
