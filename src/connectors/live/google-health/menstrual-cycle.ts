/** Builds menstrual cycle summaries from Google Health's periods and ovulation tests. */
import { DAY_MS, type IsoDate, localDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { cycleBounds, MOST_CYCLE_DAYS, menstrualCycleSummary } from '../../shared/menstrual-cycle.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { type Point, type PointInterval, readInterval, readPoint, readSampleTime } from './point.ts'
import { allPoints } from './requests.ts'

export const PERIOD = 'menstrual-period'
export const OVULATION_TEST = 'ovulation-test'

interface Period {
  readonly point: Point
  readonly interval: PointInterval
  readonly first: IsoDate
}
interface Test {
  readonly date: IsoDate
  readonly test_result: string
}

/** Points for periods and ovulation tests. */
export interface CyclePoints {
  readonly periods: readonly unknown[]
  readonly tests: readonly unknown[]
}

/** Returns periods and tests, including entries outside the window that may belong to a cycle in it. Throws ProviderError. */
export async function cyclePoints(session: TokenSession, asked: PullRequest): Promise<CyclePoints> {
  const window = { from: asked.window.from, to: asked.window.to + MOST_CYCLE_DAYS * DAY_MS }
  // neither type is reconciled
  const query = { window, method: 'list' } as const
  return {
    periods: await allPoints(session, { ...query, type: PERIOD, field: 'interval.start_time' }),
    tests: await allPoints(session, { ...query, type: OVULATION_TEST, field: 'sample_time.physical_time' }),
  }
}

/** Adds cycles whose period starts in the window. */
export function addCycles(found: CyclePoints, page: LivePage): void {
  const periods: Period[] = []
  for (const point of read(found.periods, PERIOD, page)) {
    const interval = readInterval(point.body)
    if (interval === undefined) page.skip(`${PERIOD} without a time`)
    else periods.push({ point, interval, first: localDate(interval.start.ms, interval.start.offset) })
  }
  periods.sort((a, b) => a.interval.start.ms - b.interval.start.ms)
  const tests: Test[] = []
  for (const { body } of read(found.tests, OVULATION_TEST, page)) {
    const time = readSampleTime(body)
    const { result } = body
    if (time === undefined || typeof result !== 'string') page.skip(`${OVULATION_TEST} without a time or a result`)
    // the results have the same names as in the contract, in upper case
    else tests.push({ date: localDate(time.ms, time.offset), test_result: result.toLowerCase() })
  }
  tests.sort((a, b) => a.date.localeCompare(b.date))
  for (const [i, period] of periods.entries()) {
    if (period.interval.start.ms >= page.asked.window.to) break
    addCycle(period, periods[i + 1], tests, page)
  }
}

function* read(points: readonly unknown[], type: string, page: LivePage): Generator<Point> {
  for (const each of points) {
    const point = readPoint(each, type)
    if (point === undefined) page.skip(`${type} in an unknown form`)
    else yield point
  }
}

function addCycle(
  { point, interval, first }: Period,
  next: Period | undefined,
  tests: readonly Test[],
  page: LivePage,
): void {
  const { start, end } = interval
  const bounds = cycleBounds(first, next?.first)
  const recordId = point.id ?? new Date(start.ms).toISOString()
  const sourceType = point.sourceType ?? 'app'
  const source = page.source(recordId, { sourceType, date: first, offset: start.offset })
  const period = { start: first, end: localDate(end.ms, end.offset) }
  const ovulation_test = tests.filter(({ date }) => date >= first && date <= bounds.last)
  const summary = menstrualCycleSummary(source, start.ms, period, bounds, { ovulation_test })
  page.record(recordId, contentVersion(point.body, summary.document)).summary(summary)
}
