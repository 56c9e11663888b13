/** Collects the values of a day from several parts into one activity summary. Totals of a day are never samples. */
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type IsoDate, parseDate } from '../../../core/time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import type { ArchiveRun } from './run.ts'

/** Fields of an activity summary, and those of its heart rate. */
export type DayFields = Readonly<Record<string, number | null | undefined>>

/** What one device or app adds up for a day. */
interface Sum {
  readonly fields: Record<string, number>
  records: number
}

interface Day extends Sum {
  readonly heart: Record<string, number>
  /** Sums of parts of the day, by quantity and by source. */
  readonly sums: Map<string, Map<string, Sum>>
}

/** Maximum number of days, enough for more than a lifetime. */
const MOST_DAYS = 40_000
const JOINED = 'records of a day that are joined into its summary'

export class DayBook {
  private readonly run: ArchiveRun
  private readonly offsetOn: (date: IsoDate) => number | null
  private readonly sourceType: string | undefined
  private readonly days = new Map<IsoDate, Day>()

  /** `offsetOn` returns the offset of a date, or null. */
  constructor(run: ArchiveRun, offsetOn: (date: IsoDate) => number | null, sourceType?: string) {
    this.run = run
    this.offsetOn = offsetOn
    this.sourceType = sourceType
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

  /**
   * Adds to fields of a date, for records of parts of the day. Devices and apps record the same energy, so of several sources, the one with the
   * most records counts.
   */
  add(date: IsoDate | undefined, quantity: string, fields: DayFields, source = ''): void {
    const day = this.open(date)
    if (day === undefined) return
    const sources = getOrInsert(day.sums, quantity, () => new Map<string, Sum>())
    const sum = getOrInsert(sources, source, () => ({ fields: {}, records: 0 }))
    const given = known(fields, sum.fields)
    for (const { into, name, value } of given) into[name] = (into[name] ?? 0) + value
    if (given.length > 0) this.count(sum)
  }

  /** Adds the summaries. Call this once all parts have been read. */
  finish(): void {
    const { run, sourceType } = this
    for (const [date, day] of this.days) {
      this.settle(day)
      const { fields, heart, records } = day
      if (records === 0) continue
      const origin = run.origin(
        [run.importing.chooseSourceType(sourceType), date],
        date,
        this.offsetOn(date),
        sourceType,
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

  /** Chooses one source of each sum. */
  private settle(day: Day): void {
    for (const [quantity, sources] of day.sums) {
      const [best, ...others] = [...sources.values()].sort((a, b) => b.records - a.records)
      for (const { into, name, value } of known(best?.fields ?? {}, day.fields)) into[name] ??= value
      day.records += best?.records ?? 0
      const copies = others.reduce((total, { records }) => total + records, 0)
      this.run.skip(`${quantity} of a day by another device or app than the one with the most records`, copies, '')
    }
  }

  private count(sum: Sum): void {
    sum.records++
    this.run.hold()
  }

  private open(date: IsoDate | undefined): Day | undefined {
    const at = date === undefined ? undefined : parseDate(date)
    const problem = this.dateProblem(at)
    if (problem !== undefined || date === undefined) {
      this.run.skip(`${this.run.family} records ${problem}`)
      return undefined
    }
    return getOrInsert(this.days, date, () => ({ fields: {}, heart: {}, records: 0, sums: new Map() }))
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
