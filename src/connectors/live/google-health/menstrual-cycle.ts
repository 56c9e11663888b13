/** Makes menstrual cycle summaries from the periods and the ovulation tests of Google Health. */
import { DAY_MS, formatDate, type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { summaryAt } from '../../shared/summaries.ts'
import { LivePage } from '../page.ts'
import { versionOf } from '../windows.ts'
import { PROVIDER } from './data-types.ts'
import { type Point, type PointInterval, readInterval, readPoint, readSampleTime } from './point.ts'
import { type PointQuery, pointsOf } from './requests.ts'

export const PERIOD = 'menstrual-period'
export const OVULATION_TEST = 'ovulation-test'
/** The longest time from one period to the next that is taken for one cycle. */
export const MOST_CYCLE_DAYS = 60

interface Period {
  readonly point: Point
  readonly interval: PointInterval
  readonly first: IsoDate
}
interface Test {
  readonly date: IsoDate
  readonly test_result: string
}

/** Yields the cycles whose period starts in the window. Periods and tests are read further, as far as a cycle may reach. */
export async function* pullCycles(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const window = { from: asked.window.from, to: asked.window.to + MOST_CYCLE_DAYS * DAY_MS }
  const periods: Period[] = []
  // neither type is reconciled
  const query = { type: PERIOD, field: 'interval.start_time', window, method: 'list' } as const
  for await (const point of readAll(session, query, page)) {
    const interval = readInterval(point.body)
    if (interval === undefined) page.skip(`${PERIOD} without a time`)
    else periods.push({ point, interval, first: localDate(interval.start.ms, interval.start.offset) })
  }
  periods.sort((a, b) => a.interval.start.ms - b.interval.start.ms)
  const tests = await readTests(session, { ...query, type: OVULATION_TEST, field: 'sample_time.physical_time' }, page)
  for (const [i, period] of periods.entries()) {
    if (period.interval.start.ms >= asked.window.to) break
    addCycle(period, periods[i + 1], tests, asked, page)
  }
  yield page.take()
}

async function* readAll(session: GrantSession, query: PointQuery, page: LivePage): AsyncGenerator<Point> {
  for await (const points of pointsOf(session, query)) {
    for (const each of points) {
      const point = readPoint(each, query.type)
      if (point === undefined) page.skip(`${query.type} in an unknown form`)
      else yield point
    }
  }
}

async function readTests(session: GrantSession, query: PointQuery, page: LivePage): Promise<readonly Test[]> {
  const tests: Test[] = []
  for await (const { body } of readAll(session, query, page)) {
    const time = readSampleTime(body)
    const { result } = body
    if (time === undefined || typeof result !== 'string') page.skip(`${OVULATION_TEST} without a time or a result`)
    // its results are named as in the contract, in upper case
    else tests.push({ date: localDate(time.ms, time.offset), test_result: result.toLowerCase() })
  }
  return tests.sort((a, b) => a.date.localeCompare(b.date))
}

function addCycle(
  { point, interval, first }: Period,
  next: Period | undefined,
  tests: readonly Test[],
  { userId }: PullRequest,
  page: LivePage,
): void {
  const { start, end } = interval
  const limit = (parseDate(first) ?? 0) + MOST_CYCLE_DAYS * DAY_MS
  const nextFirst = next === undefined ? undefined : (parseDate(next.first) ?? 0)
  const isClosed = nextFirst !== undefined && nextFirst <= limit
  const last = formatDate((isClosed ? nextFirst : limit) - DAY_MS)
  const recordId = point.id ?? new Date(start.ms).toISOString()
  const sourceType = point.sourceType ?? 'app'
  const document = {
    period_start: first,
    period_end: localDate(end.ms, end.offset),
    cycle_end: isClosed ? last : null,
    is_predicted: false,
    menstrual_flow: [],
    cervical_mucus: [],
    intermenstrual_bleeding: [],
    contraceptive: [],
    detected_deviations: [],
    ovulation_test: tests.filter(({ date }) => date >= first && date <= last),
    home_pregnancy_test: [],
    home_progesterone_test: [],
    sexual_activity: [],
    basal_body_temperature: [],
    source_provider: PROVIDER,
    source_type: sourceType,
    source_app_id: null,
    source_device_id: null,
  }
  const source = { userId, provider: PROVIDER, sourceType, recordId, date: first, offset: start.offset }
  page
    .record(recordId, versionOf(point.body, document))
    .summary(summaryAt(source, 'menstrual_cycle', start.ms, document))
}
