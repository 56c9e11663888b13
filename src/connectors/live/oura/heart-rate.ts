/** Oura's heart rate throughout the day. */
import { present } from '../../../core/present.ts'
import { DAY_MS, readInstant, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import { type Beat, beatsWithin } from '../beats.ts'
import { mappedValue } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { isGranted } from '../requests.ts'
import { isWithin } from '../windows.ts'
import { documentPages, toTimeRange } from './document.ts'
import { HEARTRATE_SAMPLES } from './tables.ts'

const DAYS_A_CALL = 29
const AFTER_1973_MS = 1e11

/** A reading and its source, such as `awake` or `sleep`. */
interface Reading extends Beat {
  readonly source: string | null
}

/** Returns whether the `heartrate` collection is pulled. */
export function hasHeartRate(session: TokenSession): boolean {
  return isGranted(session, 'heartrate')
}

/** Yields the window's readings. A reading that cannot be read is undefined. */
export async function* heartRatePages(session: TokenSession, asked: PullRequest) {
  const { window } = asked
  for (let from = window.from; from < window.to; from += DAYS_A_CALL * DAY_MS) {
    const to = Math.min(window.to, from + DAYS_A_CALL * DAY_MS)
    const isIn = (at: number): boolean => at >= from && (at < to || to === window.to) && isWithin(asked, at)
    for await (const readings of readingPages(session, from, to)) yield readings.filter(each => !each || isIn(each.at))
  }
}

export function addHeartRate(reading: Reading | undefined, page: LivePage) {
  if (reading === undefined) return page.skip('heartrate (unreadable)')
  const { at, bpm, source } = reading
  const sample = { resource: 'heartrate', sourceType: 'ring', start: at, value: bpm, text: { type: source } }
  page.samples.add(sample, 'heartrate')
}

/** Returns the readings from `from` to `to`, both inclusive, in ascending order. */
export async function beatsBetween(session: TokenSession, from: number, to: number): Promise<readonly Beat[]> {
  const beats: Beat[] = []
  for await (const readings of readingPages(session, from, to)) {
    for (const each of readings) if (each) beats.push(each)
  }
  return beatsWithin(beats, from, to)
}

async function* readingPages(session: TokenSession, from: number, to: number) {
  // it is not documented whether a range includes its ends
  const range = toTimeRange(from - SECOND_MS, to + SECOND_MS)
  for await (const rows of documentPages(session, 'heartrate', range)) yield rows.map(parseReading)
}

function parseReading(row: JsonObject | undefined): Reading | undefined {
  // the same time as a number, which can be read ten times as fast
  const unix = row?.['timestamp_unix']
  const at = typeof unix === 'number' && unix > AFTER_1973_MS ? unix : readInstant(row?.['timestamp'])
  const bpm = mappedValue(present(HEARTRATE_SAMPLES[0], 'a rule'), row)
  return at === undefined || bpm === undefined ? undefined : { at, bpm, source: asText(row?.['source']) ?? null }
}
