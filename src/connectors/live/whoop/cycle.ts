/**
 * Reads WHOOP's cycles as activity summaries. A cycle lasts from one sleep to the next, so its energy does not belong to a calendar day,
 * and it has no samples.
 */
import { DAY_MS, type EpochMs, HOUR_MS, type IsoDate, localDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { filled, hasValue } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { getRecord, isGranted } from '../requests.ts'
import { contentVersion } from '../windows.ts'
import { CYCLE_FIELDS, CYCLE_HEART } from './mapping.ts'
import { readRecordTime } from './record-time.ts'
import { allIn, findRecord, listed } from './requests.ts'
import { SLEEPS, scored } from './sleep.ts'

const READ_SLEEP = 'read:sleep'
const CYCLES = '/v2/cycle'
/** Assumed time from the start of a cycle to waking, if the cycle has no sleep: a cycle that begins before noon belongs to that day. */
const TO_WAKING_MS = 12 * HOUR_MS

interface Waking {
  readonly at: EpochMs
  readonly date: IsoDate
}

/** Wake-up times by cycle ID. */
type Wakings = ReadonlyMap<string, Waking>

/** A cycle and the wake-up times. */
export interface WhoopCycle {
  readonly cycle: JsonObject
  readonly wakingOf: Wakings
}

/** Yields cycles with the sleeps around them. */
export async function* cyclePages(session: TokenSession, asked: PullRequest): AsyncGenerator<readonly WhoopCycle[]> {
  const around = { from: asked.window.from - DAY_MS, to: asked.window.to + DAY_MS }
  const wakingOf = wakings(isGranted(session, READ_SLEEP) ? await allIn(session, SLEEPS, around) : [])
  for await (const cycles of listed(session, CYCLES, asked)) {
    const items: WhoopCycle[] = []
    for (const cycle of cycles) {
      // a long cycle may have begun with a sleep before all sleeps that were read
      const isOlder = (readRecordTime(cycle)?.start ?? around.from) < around.from
      items.push({ cycle, wakingOf: isOlder ? await fetchSleep(session, String(cycle['id'])) : wakingOf })
    }
    yield items
  }
}

/** Returns one cycle with its sleep, or null if WHOOP does not have the cycle. Throws ProviderError. */
export async function cycleNamed(session: TokenSession, id: string): Promise<WhoopCycle | null> {
  const cycle = await findRecord(session, CYCLES, id)
  return cycle && { cycle, wakingOf: await fetchSleep(session, id) }
}

async function fetchSleep(session: TokenSession, id: string): Promise<Wakings> {
  const path = `${CYCLES}/${encodeURIComponent(id)}/sleep`
  const sleep = isGranted(session, READ_SLEEP) ? await getRecord(session, path) : null
  return wakings(sleep === null ? [] : [sleep])
}

/** Returns the end of each cycle's main sleep. */
function wakings(sleeps: readonly JsonObject[]): Wakings {
  const found = new Map<string, Waking>()
  for (const sleep of sleeps) {
    const time = readRecordTime(sleep)
    const cycle = String(sleep['cycle_id'])
    if (time?.end == null || sleep['nap'] === true) continue
    const earlier = found.get(cycle)
    // if there are two, the one that begins the cycle is used
    if (earlier !== undefined && earlier.at <= time.end) continue
    found.set(cycle, { at: time.end, date: localDate(time.end, time.offset) })
  }
  return found
}

/** Adds a cycle as the activity for the day on which its sleep ended. */
export function addCycle({ cycle, wakingOf }: WhoopCycle, page: LivePage) {
  const view = page.view('cycle', cycle)
  const [time, id] = [readRecordTime(cycle), view.id('id')]
  if (time === null || id === undefined) return view.leaveOut('without id or times')
  const { start, offset } = time
  const date = wakingOf.get(id)?.date ?? localDate(start + TO_WAKING_MS, offset)
  const scoredCycle = scored(view)
  const heart = filled(CYCLE_HEART, scoredCycle)
  const summary = activitySummary(page.source(id, { sourceType: 'watch', date, offset }), {
    ...filled(CYCLE_FIELDS, scoredCycle),
    heart_rate: hasValue(heart) ? { ...NO_HEART_RATE, ...heart } : null,
  })
  page.record(id, contentVersion(cycle, date)).summary(summary)
}

const NO_HEART_RATE = { min_bpm: null, resting_bpm: null, avg_walking_bpm: null }
