/** Google Health's collections as data: names, intervals and data types. */

import { resourceNamed } from '../../../catalogue/resources.ts'
import { HOUR_MS } from '../../../core/time.ts'
import type { Collection } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { MOST_CYCLE_DAYS } from '../../shared/menstrual-cycle.ts'
import { alone, type CollectionPlan, collection, type LiveCollection, NEWEST } from '../collection.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { addDays, DAY_SUMS, dayPages, RESTING } from './activity.ts'
import { addHeight, addWeighings, HEIGHT, newestHeight, weighingNamed, weighingsIn } from './body.ts'
import * as types from './data-types.ts'
import { GOOGLE } from './data-types.ts'
import { addElectrocardiogram, ECG_TYPE } from './electrocardiogram.ts'
import { addExercise } from './exercise.ts'
import { addCycles, cyclePoints, OVULATION_TEST, PERIOD } from './menstrual-cycle.ts'
import { addMeal, addWater, HYDRATION_LOG, NUTRITION_LOG } from './nutrition.ts'
import { type Point, readInterval, readPoint } from './point.ts'
import { getPoints, type PointQuery, pointNamed } from './requests.ts'
import { ACTIVITY, ECG, METRICS, NUTRITION, REPRODUCTIVE, SLEEP } from './scopes.ts'
import { addIntervals, addSamples, intervalPages, samplePages } from './series.ts'
import { addSleep } from './sleep.ts'

/** Additional fields of a collection, for notifications and the docs. */
interface HealthNames {
  /** Data types whose changes trigger a pull. */
  readonly types: readonly string[]
  /** The samples' resources; empty for summaries. */
  readonly series: readonly types.SeriesType[]
  /** Returns the record ID for a type's point; null if the type's records are not single points. */
  readonly idOf: (type: string, id: string) => string | null
}

export interface HealthCollection extends LiveCollection, HealthNames {}

function health<Item>(named: Collection & Partial<HealthNames>, plan: CollectionPlan<Item>): HealthCollection {
  return { types: [named.name], series: [], idOf: () => null, ...named, ...collection(GOOGLE, named, plan) }
}

type Pace = Pick<Collection, 'windowDays' | 'historyDays' | 'emptyWindows' | 'pollMs' | 'overlapDays'>

const WORKOUTS = ['workouts', 'workout_stream', 'workout_duration', 'workout_distance']

/** Schedule for samples every few seconds, with short windows of a few pages. */
const DENSE = { windowDays: 7, historyDays: 90, pollMs: HOUR_MS, overlapDays: 1 }
const USUAL = { windowDays: 14, historyDays: 90, pollMs: HOUR_MS, overlapDays: 3 }
/** Schedule for sessions. There are few of them, so a year is read quickly. Four consecutive empty windows end the history. */
const SESSIONS = {
  windowDays: 90,
  historyDays: Number.POSITIVE_INFINITY,
  emptyWindows: 4,
  pollMs: HOUR_MS,
  overlapDays: 7,
}

/** Returns a collection for one type of sample, named after the type. A daily type provides values for days without samples. */
function series(type: types.SeriesType, scope: string, pace: Pace, daily?: types.SeriesType): HealthCollection {
  const all = daily === undefined ? [type] : [type, daily]
  const names = { name: type.name, types: all.map(each => each.name), series: all }
  const resources = [resourceNamed(type.resource)?.queryName ?? type.resource]
  const named = { ...names, resources, scopes: [scope], ...pace }
  if (type.shape === 'interval') {
    return health(named, {
      pages: (session, asked) => intervalPages(session, type, asked),
      map: (item, page) => addIntervals(type, item, page),
    })
  }
  return health(named, {
    pages: (session, asked) => samplePages(session, type, daily, asked),
    map: addSamples,
  })
}

/** Returns a collection for one type of session, named after the type. Sessions are records with IDs. */
function sessions(
  { type: name, ...filter }: Pick<PointQuery, 'type' | 'field' | 'method' | 'isOpenEnded'>,
  resources: readonly string[],
  scope: string,
  add: (point: Point, view: RecordView, page: LivePage, session: TokenSession) => void | Promise<void>,
  pace: Pace = SESSIONS,
): HealthCollection {
  return health<unknown>(
    { name, resources, scopes: [scope], ...pace, idOf: (_, id) => id },
    {
      pages: (session, { window }) => getPoints(session, { type: name, ...filter, window }),
      async one(session, id) {
        const found = await pointNamed(session, name, id)
        return found && { ...found, name: id }
      },
      map(item, page, session) {
        const point = readPoint(item, name)
        if (point === undefined) return page.skip(`${name} in an unknown form`)
        const { window, recordId } = page.asked
        const isIn = recordId !== undefined || filter.field === 'interval.end_time' || startsIn(point, window)
        return isIn ? add(point, page.view(name, point.body), page, session) : undefined
      },
    },
  )
}

/**
 * Returns whether a point starts in the window, because a filter's local bounds are wide and some filters have no end. A point without a
 * time is included, so that it is counted.
 */
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
    // an older window would return all newer points again
    { windowDays: 3650, historyDays: 3650, pollMs: HOUR_MS, overlapDays: 7 },
  ),
  health(
    {
      ...{ ...SESSIONS, name: 'body', resources: ['body', 'weight', 'fat'], scopes: [METRICS] },
      types: [types.WEIGHT.name, types.BODY_FAT.name],
      series: [types.WEIGHT, types.BODY_FAT],
      idOf: (type, id) => `${type}/${id}`,
    },
    { pages: (session, { window }) => alone(weighingsIn(session, window)), one: weighingNamed, map: addWeighings },
  ),
  health(
    {
      ...{ name: 'activity', resources: ['activity'], scopes: [ACTIVITY] },
      // heart rate and energy sums cover at most 14 local days
      ...{ windowDays: 13, historyDays: 90, pollMs: HOUR_MS, overlapDays: 3 },
      // the heart rate changes far more often, and changes together with steps
      types: [...DAY_SUMS, RESTING].map(each => each.type),
    },
    { pages: dayPages, map: addDays },
  ),
  health(
    { ...NEWEST, name: 'profile', resources: ['profile'], scopes: [METRICS], types: [HEIGHT] },
    { pages: (session, asked) => alone(newestHeight(session, asked)), map: addHeight },
  ),
  health(
    {
      ...{ ...SESSIONS, name: 'menstrual-cycle', resources: ['menstrual_cycle'], scopes: [REPRODUCTIVE] },
      pollMs: 6 * HOUR_MS,
      // a cycle ends with the next period
      overlapDays: MOST_CYCLE_DAYS,
      types: [PERIOD, OVULATION_TEST],
      idOf: (type, id) => (type === PERIOD ? id : null),
    },
    { pages: (session, asked) => alone(cyclePoints(session, asked)), map: addCycles },
  ),
]
