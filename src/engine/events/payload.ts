/** Builds the `data` of a webhook body from the event's content. See docs/interface/events.md#events-2. */
import { DEPRECATIONS, isServed } from '../../catalogue/deprecations.ts'
import { DATA_DELETED, resourceEvent } from '../../catalogue/event-types.ts'
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import { resourceAvailability, type ScopeConsent } from '../../catalogue/resource-availability.ts'
import { resourceNamed } from '../../catalogue/resources.ts'
import { OTHER_SPORT, type Sport } from '../../catalogue/sports.ts'
import { wholeDocument } from '../../contract/readings/whole-numbers.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'
import { formatInstant } from '../../core/time.ts'
import { type OutboxEvent, READY } from '../../store/event.ts'
import type { StoredSummary } from '../../store/sample.ts'
import { byStart, groupSamples } from '../readings/sample-groups.ts'
import { sourceView, summaryViewer } from '../readings/summary-view.ts'
import { wholeSamples } from '../readings/whole-numbers.ts'
import { deviceView } from '../users/devices.ts'
import { providerSummary } from '../users/users.ts'

type Document = Readonly<Record<string, unknown>>

/** Returns the payload that is sent. For a type without its own rule, that is the stored content. */
export function buildPayload(event: OutboxEvent, providers: ProviderRegistry): unknown {
  if (event.data.kind === 'samples') return samplesPayload(event, event.data, providers)
  const { document } = event.data
  const { kind } = document
  // events triggered without data, and events with a continuous query's rows
  if (kind === READY || kind === 'continuous_query') return document['data']
  const summary = SUMMARY_KINDS.find(each => each === kind)
  if (summary) return summaryPayload(event, summary, document, providers)
  const about = resourceEvent(event.type)
  if (about?.change === 'historical') return historicalPayload(event, document, providers)
  if (about?.resource === 'workout_stream') return streamPayload(event, document, providers)
  const render = BY_TYPE[event.type]
  return render ? render(event, document, providers) : document
}

/** Returns a batch of samples from one source, in the format of GET /v2/timeseries. */
function samplesPayload(
  event: OutboxEvent,
  data: OutboxEvent['data'] & { kind: 'samples' },
  providers: ProviderRegistry,
): Document {
  const { batch, seriesId } = data
  const resource = resourceNamed(batch.series.resource)
  if (!resource) throw new Error(`samples of an unknown resource: ${batch.series.resource}`)
  const columns = wholeSamples(resource.name, batch)
  const groups = groupSamples(resource, [{ series: batch.series, columns }])[batch.series.provider] ?? []
  const [first] = groups
  if (!first) throw new Error('an event without samples')
  // older versions stored the samples of several sources in one event
  const samples = groups.length === 1 ? first.data : groups.flatMap(group => group.data).sort(byStart)
  const { name, slug, logo } = providerSummary(providers, batch.series.provider)
  const details = isServed(DEPRECATIONS.source_details, event.compatibilityDate) ? { name, slug, logo } : {}
  return { user_id: event.userId, source_id: seriesId, source: { ...first.source, ...details }, data: samples }
}

/** Returns the summary that GET /v2/summary would have returned at that time. See docs/interface/events.md#events-3. */
function summaryPayload(
  event: OutboxEvent,
  kind: SummaryKind,
  document: Document,
  providers: ProviderRegistry,
): Document {
  return summaryViewer(providers, kind, event.userId, event.compatibilityDate)(summaryIn(kind, document, event.at))
}

/** Returns the stored summary. Fields that an older version omitted are filled with the event's time, or marked unknown. */
function summaryIn(kind: SummaryKind, kept: Document, at: number): StoredSummary {
  const text = (name: string): string | null => (typeof kept[name] === 'string' ? kept[name] : null)
  const time = (name: string): number => (typeof kept[name] === 'number' ? kept[name] : at)
  return {
    kind,
    id: text('id') ?? '',
    provider: text('provider') ?? 'unknown',
    sourceType: text('source_type') ?? 'unknown',
    appId: text('app_id'),
    deviceId: text('device_id'),
    at: time('at'),
    date: text('date') ?? formatInstant(at).slice(0, 10),
    offset: typeof kept['zone_offset'] === 'number' ? kept['zone_offset'] : null,
    // the service itself wrote the event's content
    document: wholeDocument(kind, kept['document'] as Document),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  }
}

/** Returns a shallow payload. The stream itself is too large, and can be read separately. See docs/interface/events.md#events-5. */
function streamPayload(event: OutboxEvent, document: Document, providers: ProviderRegistry): Document {
  const sport = (document['sport'] as Sport | null | undefined) ?? OTHER_SPORT
  const source = { provider: String(document['provider']), sourceType: String(document['source_type']) }
  return {
    user_id: event.userId,
    workout_id: document['workout_id'],
    provider_id: document['provider_id'] ?? document['workout_id'],
    message: document['message'] ?? 'The stream of this workout can be read now.',
    sport: { id: sport.id, name: sport.name, slug: sport.slug },
    source: sourceView(providers, { ...source, appId: null, deviceId: null }, event.compatibilityDate),
  }
}

/**
 * Returns the payload for one resource's completed pull. The pull may have fetched data from any source type. See
 * docs/interface/events.md#events-7.
 */
function historicalPayload(event: OutboxEvent, document: Document, providers: ProviderRegistry): Document {
  const provider = String(document['provider'])
  const source = { provider, sourceType: 'unknown', appId: null, deviceId: null }
  return {
    user_id: event.userId,
    start_date: formatInstant(Number(document['start_date'])),
    end_date: formatInstant(Number(document['end_date'])),
    provider,
    source: sourceView(providers, source, event.compatibilityDate),
    ...(isServed(DEPRECATIONS.is_final, event.compatibilityDate) ? { is_final: true } : {}),
  }
}

const device = (event: OutboxEvent, document: Document): Document => {
  const text = (name: string): string | null => (document[name] as string | null | undefined) ?? null
  return deviceView(event.userId, {
    deviceId: text('device_id') ?? '',
    provider: text('provider') ?? 'unknown',
    sourceType: text('source_type') ?? 'unknown',
    appId: text('app_id'),
    manufacturer: text('manufacturer'),
    model: text('model'),
    version: text('version'),
  })
}

type Payload = (event: OutboxEvent, document: Document, providers: ProviderRegistry) => Document

const BY_TYPE: Readonly<Record<string, Payload>> = {
  'provider.connection.created': (event, document, providers) => {
    const slug = String(document['provider'])
    const known = providers.find(slug)
    const provider = providerSummary(providers, slug)
    const hasSource = isServed(DEPRECATIONS.connection_event_source, event.compatibilityDate)
    return {
      user_id: event.userId,
      provider,
      ...(hasSource ? { source: provider } : {}),
      external_user_id: document['external_user_id'] ?? null,
      resource_availability:
        document['resource_availability'] ??
        (known ? resourceAvailability(known, (document['scopes'] as ScopeConsent | null | undefined) ?? null) : {}),
    }
  },
  'provider.connection.error': (event, { provider, error_type, message, error_details }) => ({
    user_id: event.userId,
    provider,
    error_type,
    message,
    error_details,
  }),
  [DATA_DELETED]: (event, { reason, timeseries, summaries }) => ({
    user_id: event.userId,
    reason,
    // the service itself wrote the event's content
    timeseries: (timeseries as { readonly start: number; readonly end: number }[]).map(each => ({
      ...each,
      start: formatInstant(each.start),
      end: formatInstant(each.end),
    })),
    summaries,
  }),
  'provider.device.created': device,
  'provider.device.updated': device,
}
