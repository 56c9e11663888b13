/** Builds an example event of each type, using the same code as for real events. */
import { DATA_DELETED, dailyCreated, resourceEvent } from '../../../catalogue/event-types.ts'
import { SHIPPED_REGISTRY } from '../../../catalogue/providers.ts'
import { resourceQueried } from '../../../catalogue/resources.ts'
import { sportNamed } from '../../../catalogue/sports.ts'
import { ownedId } from '../../../core/ids.ts'
import { SUMMARY_KINDS } from '../../../core/sample.ts'
import { DAY_MS, formatDate, HOUR_MS } from '../../../core/time.ts'
import type { EventData, OutboxEvent } from '../../../store/event.ts'
import { type EventBody, renderedBody } from '../render.ts'
import { labExample } from './lab-examples.ts'
import type { Example } from './owner.ts'
import { sampleExample } from './sample-examples.ts'
import { summaryExample } from './summary-examples.ts'

/** Returns the webhook body of an example. Its provider is a shipped one. Throws a plain Error for an unknown type. */
export function exampleBody(type: string, whose: Example): EventBody {
  return renderedBody(exampleEvent(type, whose), SHIPPED_REGISTRY)
}

/** Returns an example event, without storing anything. */
export function exampleEvent(type: string, whose: Example): OutboxEvent {
  const data = exampleData(type, whose)
  if (!data) throw new Error(`unknown event type: ${type}`)
  const eventId = ownedId(whose.userId, 'event', 'example', type)
  return { ...whose, eventId, sequence: 1, arrival: 1, type, data }
}

function exampleData(type: string, whose: Example): EventData | undefined {
  const about = resourceEvent(type)
  if (!about) {
    const document = OTHERS[type]?.(whose) ?? labExample(type, whose)
    return document && { kind: 'document', document }
  }
  const { resource, change } = about
  if (change === 'historical') {
    return {
      kind: 'document',
      document: { provider: 'oura', start_date: whose.at - 90 * DAY_MS, end_date: whose.at },
    }
  }
  if (resource === 'workout_stream') return { kind: 'document', document: streamExample(whose) }
  const kind = SUMMARY_KINDS.find(each => each === resource)
  if (kind) return { kind: 'document', document: summaryExample(kind, change, whose) }
  const series = resourceQueried(resource)
  return series && { kind: 'samples', seriesId: 1, batch: sampleExample(series, whose.at) }
}

type Document = Readonly<Record<string, unknown>>

function streamExample({ userId }: Example): Document {
  return {
    kind: 'workout_stream',
    workout_id: ownedId(userId, 'workouts', 'example'),
    provider: 'strava',
    source_type: 'watch',
    provider_id: '9876543210',
    sport: sportNamed('running'),
  }
}

const device = (version: string) => (): Document => ({
  device_id: 'd3c0ffee-0000-4000-8000-000000000001',
  provider: 'garmin',
  source_type: 'watch',
  app_id: null,
  manufacturer: 'Garmin',
  model: 'Forerunner',
  version,
})

const OTHERS: Readonly<Record<string, (whose: Example) => Document>> = {
  'provider.connection.created': () => ({ provider: 'oura', external_user_id: 'oura-4711', scopes: null }),
  'provider.connection.error': () => ({
    provider: 'oura',
    error_type: 'token_refresh_failed',
    message: "The provider refused to refresh this connection's tokens",
    error_details: "The provider refused to refresh this connection's tokens",
  }),
  'provider.device.created': device('1.0'),
  'provider.device.updated': device('1.1'),
  'continuous_query.result_table.changed': ({ userId, at }) => ({
    kind: 'continuous_query',
    data: [
      {
        query_id: ownedId(userId, 'continuous query', 'example'),
        query_slug: 'daily-steps',
        data: {
          'group_key.0': [new Date(at - (at % DAY_MS)).toISOString().slice(0, 19)],
          'sum.steps': [8_412],
        },
      },
    ],
  }),
  'message.attempt.exhausted': ({ userId, at }) => ({
    event_id: ownedId(userId, 'event', 'given up', at - (at % HOUR_MS)),
    event_type: dailyCreated('steps'),
    endpoint_id: ownedId(userId, 'endpoint', 'example'),
    attempts: 8,
    last_status: 503,
    last_error: 'HTTP 503',
  }),
  [DATA_DELETED]: ({ userId, at }) => ({
    reason: 'provider',
    timeseries: [
      {
        resource: 'heartrate',
        provider: 'oura',
        source_type: 'ring',
        source_id: 1,
        start: at - 8 * HOUR_MS,
        end: at - HOUR_MS,
        samples: 84,
      },
    ],
    summaries: [
      {
        resource: 'sleep',
        id: ownedId(userId, 'sleep', 'example'),
        provider: 'oura',
        source_type: 'ring',
        calendar_date: formatDate(at),
      },
    ],
  }),
}
