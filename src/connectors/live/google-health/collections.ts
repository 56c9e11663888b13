/** The collections of Google Health as data: what is pulled on its own, how often, and which data types it is made from. */
import { DAY_MS, HOUR_MS } from '../../../core/time.ts'
import type { Collection, PulledPage, PullRequest, PullWindow } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { CollectedPage, deletedRecord } from '../collected-page.ts'
import { DAY_SUMS, pullActivity, RESTING } from './activity.ts'
import { HEIGHT, pullBody, pullProfile } from './body.ts'
import * as types from './data-types.ts'
import { exerciseRecord } from './exercise.ts'
import { MOST_CYCLE_DAYS, OVULATION_TEST, PERIOD, pullCycles } from './menstrual-cycle.ts'
import { type Point, readInterval, readPoint } from './point.ts'
import { pointNamed, pointsOf } from './requests.ts'
import { ACTIVITY, METRICS, REPRODUCTIVE, SLEEP } from './scopes.ts'
import { pullDays, pullIntervals, pullSamples } from './series.ts'
import { sleepRecord } from './sleep.ts'

export interface HealthCollection extends Collection {
  /** Data types of which a change makes a pull worthwhile. */
  readonly types: readonly string[]
  /** Samples that it brings; empty for summaries. */
  readonly series: readonly types.SeriesType[]
  /** Returns the id of the record that a point of a type is; null if its records are not single points. */
  readonly idOf: (type: string, id: string) => string | null
  readonly pull: (session: GrantSession, asked: PullRequest) => AsyncIterable<PulledPage>
}

/** Resources that events and queries name otherwise than paths do. */
const CATALOGUE_NAMES: Readonly<Record<string, string>> = { body_weight: 'weight', body_fat: 'fat' }
const NO_IDS = () => null

/** Windows of samples that come every few seconds are short, so that a window is a few pages. */
const DENSE = { windowDays: 7, historyDays: 90, pollMs: HOUR_MS, overlapDays: 1 }
const USUAL = { windowDays: 14, historyDays: 90, pollMs: HOUR_MS, overlapDays: 3 }
/** Sessions are few, and a year of them is soon read. Four quiet windows in a row end the history. */
const SESSIONS = {
  windowDays: 90,
  historyDays: Number.POSITIVE_INFINITY,
  emptyWindows: 4,
  pollMs: HOUR_MS,
  overlapDays: 7,
}

/** Samples of one type, named after it. A daily type fills in for days without any. */
function series(
  type: types.SeriesType,
  scope: string,
  pace: Pick<Collection, 'windowDays' | 'historyDays' | 'pollMs' | 'overlapDays'>,
  daily?: types.SeriesType,
): HealthCollection {
  const all = daily === undefined ? [type] : [type, daily]
  return {
    name: type.name,
    resources: [CATALOGUE_NAMES[type.resource] ?? type.resource],
    scopes: [scope],
    ...pace,
    types: all.map(each => each.name),
    series: all,
    idOf: NO_IDS,
    pull: (session, asked) => {
      if (type.shape === 'interval') return pullIntervals(session, type, asked)
      return type.shape === 'daily' ? pullDays(session, type, asked) : pullSamples(session, type, daily, asked)
    },
  }
}

type ToRecord = typeof sleepRecord

/** Sessions of one type, named after it, which are records by their ids. */
function sessions(
  name: 'sleep' | 'exercise',
  resources: readonly string[],
  scope: string,
  toRecord: ToRecord,
): HealthCollection {
  const field = name === 'sleep' ? 'interval.end_time' : 'interval.civil_start_time'
  async function* pull(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
    const { recordId } = asked
    if (recordId !== undefined) {
      const found = await pointNamed(session, name, recordId)
      const page = new CollectedPage(asked.now)
      const point = readPoint(found, name)
      if (found === null) page.records.push(deletedRecord(recordId))
      else addRecord(point && { ...point, id: recordId }, asked, page)
      yield page.page()
      return
    }
    for await (const points of pointsOf(session, { type: name, field, window: asked.window })) {
      const page = new CollectedPage(asked.now)
      for (const each of points) {
        const point = readPoint(each, name)
        if (name === 'sleep' || startsIn(point, asked.window)) addRecord(point, asked, page)
      }
      yield page.page()
    }
  }
  function addRecord(point: Point | undefined, asked: PullRequest, page: CollectedPage): void {
    const record = point && toRecord(point, asked, page)
    if (record !== undefined) page.records.push(record)
    else if (point === undefined) page.skip(`${name} in an unknown form`)
  }
  return { name, resources, scopes: [scope], ...SESSIONS, types: [name], series: [], idOf: (_, id) => id, pull }
}

/** Local bounds of a filter are wide. A point without a time is let through, to be counted. */
function startsIn(point: Point | undefined, { from, to }: PullWindow): boolean {
  const start = point && readInterval(point.body)?.start.ms
  return start === undefined || (start >= from && start < to)
}

export const COLLECTIONS: readonly HealthCollection[] = [
  series(types.STEPS, ACTIVITY, USUAL),
  series(types.DISTANCE, ACTIVITY, USUAL),
  series(types.FLOORS, ACTIVITY, USUAL),
  series(types.ACTIVE_ENERGY, ACTIVITY, USUAL),
  series(types.BASAL_ENERGY, ACTIVITY, USUAL),
  series(types.HEART_RATE, METRICS, DENSE),
  series(types.HRV, METRICS, USUAL),
  series(types.OXYGEN, METRICS, USUAL, types.DAILY_OXYGEN),
  series(types.BREATHING, METRICS, USUAL, types.DAILY_BREATHING),
  series(types.TEMPERATURE_DELTA, METRICS, USUAL),
  series(types.BODY_TEMPERATURE, METRICS, USUAL),
  series(types.GLUCOSE, METRICS, USUAL),
  series(types.VO2_MAX, ACTIVITY, USUAL, types.DAILY_VO2_MAX),
  series(types.RUN_VO2_MAX, ACTIVITY, USUAL),
  sessions('sleep', ['sleep', 'sleep_cycle'], SLEEP, sleepRecord),
  sessions('exercise', ['workouts', 'workout_distance', 'workout_duration'], ACTIVITY, exerciseRecord),
  {
    name: 'body',
    resources: ['body', 'weight', 'fat'],
    scopes: [METRICS],
    ...SESSIONS,
    types: [types.WEIGHT.name, types.BODY_FAT.name],
    series: [types.WEIGHT, types.BODY_FAT],
    idOf: (type, id) => `${type}/${id}`,
    pull: pullBody,
  },
  {
    name: 'activity',
    resources: ['activity'],
    scopes: [ACTIVITY],
    // the sums of heart rate and of energy cover 14 local days at most
    windowDays: 13,
    historyDays: 90,
    pollMs: HOUR_MS,
    overlapDays: 3,
    // a change of the heart rate comes with one of the steps, and far more often
    types: [...new Set([...DAY_SUMS.map(each => each.type), RESTING.type])].filter(type => type !== 'heart-rate'),
    series: [],
    idOf: NO_IDS,
    pull: pullActivity,
  },
  {
    name: 'profile',
    resources: ['profile'],
    scopes: [METRICS],
    // it is one record, whatever the window
    windowDays: 1,
    historyDays: 1,
    pollMs: DAY_MS,
    overlapDays: 0,
    types: [HEIGHT.name],
    series: [],
    idOf: NO_IDS,
    pull: pullProfile,
  },
  {
    name: 'menstrual-cycle',
    resources: ['menstrual_cycle'],
    scopes: [REPRODUCTIVE],
    ...SESSIONS,
    pollMs: 6 * HOUR_MS,
    // the next period ends a cycle
    overlapDays: MOST_CYCLE_DAYS,
    types: [PERIOD, OVULATION_TEST],
    series: [],
    idOf: (type, id) => (type === PERIOD ? id : null),
    pull: pullCycles,
  },
]
