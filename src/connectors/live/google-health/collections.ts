/** The collections of Google Health as data: what is pulled on its own, how often, and which data types it is made from. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { DAY_MS, HOUR_MS } from '../../../core/time.ts'
import type { Collection, PulledPage, PullRequest } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { LivePage } from '../page.ts'
import { DAY_SUMS, pullActivity, RESTING } from './activity.ts'
import { HEIGHT, pullBody, pullProfile } from './body.ts'
import * as types from './data-types.ts'
import { PROVIDER } from './data-types.ts'
import { addElectrocardiogram, ECG_TYPE } from './electrocardiogram.ts'
import { addExercise } from './exercise.ts'
import { MOST_CYCLE_DAYS, OVULATION_TEST, PERIOD, pullCycles } from './menstrual-cycle.ts'
import { addMeal, addWater, HYDRATION_LOG, NUTRITION_LOG } from './nutrition.ts'
import { type Point, readInterval, readPoint } from './point.ts'
import { type PointQuery, pointNamed, pointsOf } from './requests.ts'
import { ACTIVITY, ECG, METRICS, NUTRITION, REPRODUCTIVE, SLEEP } from './scopes.ts'
import { pullDays, pullIntervals, pullSamples } from './series.ts'
import { addSleep } from './sleep.ts'

export interface HealthCollection extends Collection {
  /** Data types of which a change makes a pull worthwhile. */
  readonly types: readonly string[]
  /** Samples that it brings; empty for summaries. */
  readonly series: readonly types.SeriesType[]
  /** Returns the id of the record that a point of a type is; null if its records are not single points. */
  readonly idOf: (type: string, id: string) => string | null
  readonly pull: (session: GrantSession, asked: PullRequest) => AsyncIterable<PulledPage>
}

type Pace = Pick<Collection, 'windowDays' | 'historyDays' | 'emptyWindows' | 'pollMs' | 'overlapDays'>

const NO_IDS = () => null
const WORKOUTS = ['workouts', 'workout_stream', 'workout_duration', 'workout_distance']

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
function series(type: types.SeriesType, scope: string, pace: Pace, daily?: types.SeriesType): HealthCollection {
  const all = daily === undefined ? [type] : [type, daily]
  return {
    name: type.name,
    resources: [resourceNamed(type.resource)?.queryName ?? type.resource],
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

/** Sessions of one type, named after it, which are records by their ids. */
function sessions(
  { type: name, ...filter }: Pick<PointQuery, 'type' | 'field' | 'method' | 'isOpenEnded'>,
  resources: readonly string[],
  scope: string,
  add: (point: Point, asked: PullRequest, page: LivePage, session: GrantSession) => void | Promise<void>,
  pace: Pace = SESSIONS,
): HealthCollection {
  async function* pull(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
    const { recordId } = asked
    if (recordId !== undefined) {
      const page = new LivePage(PROVIDER, asked)
      const found = await pointNamed(session, name, recordId)
      const point = readPoint(found, name)
      if (found === null) page.gone(recordId)
      else if (point === undefined) page.skip(`${name} in an unknown form`)
      else await add({ ...point, id: recordId }, asked, page, session)
      yield page.take()
      return
    }
    for await (const points of pointsOf(session, { type: name, ...filter, window: asked.window })) {
      const page = new LivePage(PROVIDER, asked)
      for (const each of points) {
        const point = readPoint(each, name)
        if (point === undefined) page.skip(`${name} in an unknown form`)
        else if (filter.field === 'interval.end_time' || startsIn(point, asked.window)) {
          await add(point, asked, page, session)
        }
      }
      yield page.take()
    }
  }
  return { name, resources, scopes: [scope], ...pace, types: [name], series: [], idOf: (_, id) => id, pull }
}

/** Local bounds of a filter are wide, and some filters have no end. A point without a time is let through, to be counted. */
function startsIn(point: Point, { from, to }: PullWindow): boolean {
  const start = readInterval(point.body)?.start.ms
  return start === undefined || (start >= from && start < to)
}

export const COLLECTIONS: readonly HealthCollection[] = [
  series(types.STEPS, ACTIVITY, USUAL),
  series(types.DISTANCE, ACTIVITY, USUAL),
  series(types.FLOORS, ACTIVITY, USUAL),
  series(types.ACTIVE_ENERGY, ACTIVITY, USUAL),
  series(types.BASAL_ENERGY, ACTIVITY, USUAL),
  series(types.HEART_RATE, METRICS, DENSE),
  series(types.HRV, METRICS, USUAL, types.DAILY_HRV),
  series(types.OXYGEN, METRICS, USUAL, types.DAILY_OXYGEN),
  series(types.BREATHING, METRICS, USUAL, types.DAILY_BREATHING),
  series(types.TEMPERATURE_DELTA, METRICS, USUAL),
  series(types.BODY_TEMPERATURE, METRICS, USUAL),
  series(types.GLUCOSE, METRICS, USUAL),
  series(types.VO2_MAX, ACTIVITY, USUAL, types.DAILY_VO2_MAX),
  series(types.RUN_VO2_MAX, ACTIVITY, USUAL),
  sessions({ type: 'sleep', field: 'interval.end_time' }, ['sleep', 'sleep_cycle'], SLEEP, addSleep),
  sessions({ type: 'exercise', field: 'interval.civil_start_time' }, WORKOUTS, ACTIVITY, addExercise),
  sessions(
    { type: NUTRITION_LOG, field: 'interval.civil_start_time' },
    ['meal', 'carbohydrates', 'caffeine'],
    NUTRITION,
    addMeal,
  ),
  sessions({ type: HYDRATION_LOG, field: 'interval.civil_start_time' }, ['water'], NUTRITION, addWater),
  sessions(
    { type: ECG_TYPE, field: 'interval.start_time', method: 'list', isOpenEnded: true },
    ['electrocardiogram', 'electrocardiogram_voltage'],
    ECG,
    addElectrocardiogram,
    // an older window would bring all that is newer again
    { windowDays: 3650, historyDays: 3650, pollMs: HOUR_MS, overlapDays: 7 },
  ),
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
    // the heart rate changes far more often, and its changes come with those of the steps
    types: [...DAY_SUMS, RESTING].map(each => each.type),
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
    types: [HEIGHT],
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
