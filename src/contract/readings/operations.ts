/** Operations: reading timeseries, streams and summaries. */
import { RESOURCE_NAMES, RESOURCES } from '../../catalogue/resources.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'
import { DAY_MS, formatDate } from '../../core/time.ts'
import { type Operation, operation } from '../kernel/operation.ts'
import { userParams } from '../users/user.ts'
import * as download from './download.ts'
import { implausibleList } from './implausible.ts'
import * as stream from './stream.ts'
import * as summary from './summary.ts'
import * as timeseries from './timeseries.ts'
import { resourceList } from './timeseries-resources.ts'

/** Number of days beyond which summaries are read on a separate thread. */
const MOST_DAYS = 100

/** Chooses the thread by the unparsed range. Either thread refuses an invalid date. */
const summaryThread: Operation['takesLong'] = ({ start_date: start, end_date: end }) => {
  const days = (Date.parse(`${end ?? formatDate(Date.now())}`) - Date.parse(`${start}`)) / DAY_MS
  return days > MOST_DAYS ? 'reads' : null
}

export const readingOperations = {
  'timeseries.grouped': operation({
    route: 'GET /v2/timeseries/{user_id}/{resource}/grouped',
    tag: 'Timeseries',
    summary: 'Read samples, grouped by provider and source',
    params: timeseries.timeseriesParams,
    query: timeseries.timeseriesQuery,
    reply: () => timeseries.groupedTimeseries(),
    errors: [404],
    expand: {
      param: 'resource',
      values: RESOURCE_NAMES,
      reply: timeseries.groupedTimeseries,
      deprecations: Object.fromEntries(
        RESOURCES.flatMap(each => (each.deprecation === undefined ? [] : [[each.name, each.deprecation]])),
      ),
    },
  }),
  'timeseries.resources': operation({
    route: 'GET /svc/v1/timeseries/resources',
    hasNoHealthData: true,
    tag: 'Timeseries',
    summary: 'List timeseries resources with their kinds and units',
    reply: resourceList,
  }),
  'timeseries.implausible': operation({
    route: 'GET /svc/v1/users/{user_id}/implausible',
    tag: 'Timeseries',
    summary: 'Count samples with implausible values, by resource and source',
    params: userParams,
    reply: implausibleList,
    errors: [404],
    takesLong: 'reads',
  }),
  'timeseries.download': operation({
    route: 'GET /svc/v1/users/{user_id}/timeseries/{resource}/download',
    tag: 'Timeseries',
    summary: 'Download samples as CSV or Parquet',
    params: download.downloadParams,
    query: download.downloadQuery,
    reply: download.downloadReply,
    repliesBytes: download.CSV,
    alsoReplies: [download.PARQUET],
    errors: [404],
    takesLong: 'reads',
  }),
  'timeseries.workout_stream': operation({
    route: 'GET /v2/timeseries/workouts/{workout_id}/stream',
    tag: 'Timeseries',
    summary: 'Read the stream of a workout',
    params: stream.workoutStreamParams,
    reply: stream.workoutStream,
    errors: [404],
    takesLong: 'reads',
  }),
  'timeseries.sleep_stream': operation({
    route: 'GET /v2/timeseries/sleep/{sleep_id}/stream',
    tag: 'Timeseries',
    summary: 'Read the stream of a sleep session',
    params: stream.sleepStreamParams,
    reply: stream.sleepStream,
    errors: [404],
    takesLong: 'reads',
  }),
  'summary.get': operation({
    route: 'GET /v2/summary/{resource}/{user_id}',
    tag: 'Summaries',
    summary: 'Read summaries',
    params: summary.summaryParams,
    query: summary.summaryQuery,
    reply: summary.anySummaryReply,
    errors: [404],
    takesLong: summaryThread,
    expand: {
      param: 'resource',
      values: SUMMARY_KINDS,
      query: value => summary.summaryQuerySchema(value as SummaryKind),
      reply: value => summary.summaryReply(value as SummaryKind),
    },
  }),
} as const
