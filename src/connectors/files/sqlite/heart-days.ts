/** Collects resting heart rates and heart rate variability for the summaries of days and nights. */
import { getOrInsert } from '../../../core/maps.ts'
import type { EpochMs, IsoDate } from '../../../core/time.ts'
import { HeartValues, MOST_WAITING } from '../../shared/heart-values.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { activitySummary, type Session, type SummaryOrigin, sleepType } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import { type RecordedBy, summaryOrigin } from './recorded-by.ts'

export class HeartDays {
  private readonly heart = new HeartValues()
  /** Days with a resting heart rate, by date and source. */
  private readonly days = new Map<string, { readonly origin: SummaryOrigin; readonly key: string }>()
  private readonly importing: RecordImport

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  /** Adds a resting heart rate. The last one of a day counts. */
  addResting(source: RecordedBy, time: RecordTime, bpm: number): void {
    const origin = summaryOrigin(this.importing, source, [], time)
    const key = `${origin.date} ${source.key}`
    if (this.days.size >= MOST_WAITING && !this.days.has(key)) return
    getOrInsert(this.days, key, () => ({ origin: { ...origin, recordId: [source.key, origin.date] }, key: source.key }))
    this.heart.addResting(origin.date, { sourceType: source.key, at: time.ms, value: bpm })
  }

  /** Adds a value of heart rate variability (RMSSD), in ms. */
  addVariability(source: RecordedBy, at: EpochMs, value: number): void {
    this.heart.addVariability({ sourceType: source.key, at, value })
  }

  /** Returns the fields of a night that ends on a date. */
  nightFields({ key }: RecordedBy, session: Session, date: IsoDate): Readonly<Record<string, unknown>> {
    return {
      hr_resting: sleepType(session.end - session.start) === 'long_sleep' ? this.heart.restingOn(date, key) : null,
      average_hrv: this.heart.variabilityIn(key, session),
    }
  }

  /** Adds the summaries of the days. */
  finish(): void {
    for (const { origin, key } of this.days.values()) {
      const fields = { heart_rate: { resting_bpm: this.heart.restingOn(origin.date, key) } }
      this.importing.addItem({ kind: 'summary', summary: activitySummary(origin, fields) })
    }
  }
}
