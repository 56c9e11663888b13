/** Finds the first and the last date of imported data, by resource and kind of summary, so that a user sees what a file covers. */
import { NO_OFFSET } from '../../core/sample.ts'
import { type IsoDate, localDate } from '../../core/time.ts'
import type { SpooledData } from '../../store/data-write.ts'

/** Dates in the local time of the data, or in UTC if that is unknown. */
export interface DayRange {
  readonly first: IsoDate
  readonly last: IsoDate
}

/** Extends the ranges by this data. Resources have their names in the REST path. */
export function extendDays(ranges: Map<string, DayRange>, { batches, summaries }: SpooledData): void {
  for (const { series, n, start, offset } of batches) {
    if (n === 0) continue
    let [earliest, latest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let i = 0; i < n; i++) {
      const own = offset?.[i] ?? NO_OFFSET
      const local = (start[i] ?? 0) + (own === NO_OFFSET ? 0 : own * 1000)
      if (local < earliest) earliest = local
      if (local > latest) latest = local
    }
    extend(ranges, series.resource, localDate(earliest, null), localDate(latest, null))
  }
  for (const { kind, date } of summaries) extend(ranges, kind, date, date)
}

function extend(ranges: Map<string, DayRange>, name: string, first: IsoDate, last: IsoDate): void {
  const known = ranges.get(name)
  ranges.set(name, {
    first: known !== undefined && known.first < first ? known.first : first,
    last: known !== undefined && known.last > last ? known.last : last,
  })
}
