/** Builds the view of a stored summary for responses and events, with all documented keys. See docs/interface/summaries.md#summaries-2. */
import type * as z from 'zod'
import { isServed, SOURCE_DETAILS } from '../../catalogue/deprecations.ts'
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import { summaryItem } from '../../contract/readings/summary.ts'
import { getOrInsert } from '../../core/maps.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { withoutNulls } from '../../core/summary-document.ts'
import { formatInstant, type IsoDate } from '../../core/time.ts'
import type { StoredSummary } from '../../store/sample.ts'
import { providerSummary } from '../users/users.ts'

type Document = Readonly<Record<string, unknown>>

/**
 * Returns a function that converts stored summaries of one kind to documents. Each document has exactly the keys of its kind, with null
 * where the provider sent no value. `today` is the compatibility date, which determines which deprecated fields are present.
 */
export function summaryViewer(
  providers: ProviderRegistry,
  kind: SummaryKind,
  userId: string,
  today: IsoDate,
): (stored: StoredSummary) => Record<string, unknown> {
  const schema = getOrInsert(schemas, kind, () => summaryItem(kind))
  return stored => {
    return completed(schema, {
      ...REQUIRED[kind](stored),
      ...withoutNulls(stored.document),
      ...(kind === 'profile' ? {} : { calendar_date: stored.date }),
      id: stored.id,
      user_id: userId,
      source: sourceView(providers, stored, today),
      created_at: formatInstant(stored.createdAt),
      updated_at: formatInstant(stored.updatedAt),
    }) as Record<string, unknown>
  }
}

/** Cached, because building a schema costs more than building a summary. Global, because schemas are constants. */
const schemas = new Map<SummaryKind, z.ZodObject>()

/**
 * Returns the provider, type, app and device, and for an old compatibility date also the provider's details. See
 * docs/interface/versioning.md#versioning-4.
 */
export function sourceView(
  providers: ProviderRegistry,
  { provider, sourceType, appId, deviceId }: Pick<StoredSummary, 'provider' | 'sourceType' | 'appId' | 'deviceId'>,
  today: IsoDate,
): Document {
  const source = { provider, type: sourceType, app_id: appId, device_id: deviceId }
  if (!isServed(SOURCE_DETAILS, today)) return source
  const { name, slug, logo } = providerSummary(providers, provider)
  return { ...source, name, slug, logo }
}

const midnight = (stored: StoredSummary): Document => ({ date: `${stored.date}T00:00:00+00:00` })
const session = (stored: StoredSummary): Document => ({
  session_start: formatInstant(stored.at),
  session_end: formatInstant(stored.at),
  ...sourceFields(stored),
})
const sourceFields = (stored: StoredSummary): Document => ({
  source_provider: stored.provider,
  source_type: stored.sourceType,
  source_app_id: stored.appId,
  source_device_id: stored.deviceId,
})

/** Defaults for fields that callers can rely on but that a summary may lack. */
const REQUIRED: Readonly<Record<SummaryKind, (stored: StoredSummary) => Document>> = {
  activity: midnight,
  body: midnight,
  workouts: stored => ({
    time_start: formatInstant(stored.at),
    time_end: formatInstant(stored.at),
    provider_id: stored.id,
  }),
  sleep: stored => ({
    ...midnight(stored),
    bedtime_start: formatInstant(stored.at),
    bedtime_stop: formatInstant(stored.at),
    type: 'unknown',
    duration: 0,
    total: 0,
    awake: 0,
    light: 0,
    rem: 0,
    deep: 0,
  }),
  sleep_cycle: stored => ({ sleep_id: stored.id, ...session(stored) }),
  meal: stored => ({
    timestamp: formatInstant(stored.at),
    name: '',
    priority_id: 0,
    source_id: 0,
    provider_id: stored.id,
    source_app_id: stored.appId,
    source_device_id: stored.deviceId,
  }),
  profile: () => ({}),
  menstrual_cycle: stored => ({ period_start: stored.date, ...sourceFields(stored) }),
  electrocardiogram: stored => ({ ...session(stored), voltage_sample_count: 0 }),
}

/** Returns a value with exactly the keys of its schema, in schema order. An absent value becomes null or an empty list. */
function completed(schema: z.ZodType, value: unknown): unknown {
  const { def } = schema as { readonly def: Def }
  switch (def.type) {
    case 'nullable':
      return value === null || value === undefined ? null : completed(def.innerType as z.ZodType, value)
    case 'null':
      return null
    case 'array':
      return Array.isArray(value) ? value.map(item => completed(def.element as z.ZodType, item)) : []
    case 'record':
      return mapped(value, item => completed(def.valueType as z.ZodType, item))
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape as Record<string, z.ZodType>)
          .filter(([key, field]) => field.def.type !== 'optional' || fieldValue(value, key) !== undefined)
          .map(([key, field]) => [key, completed(field, fieldValue(value, key))]),
      )
    default:
      return value
  }
}

/** Parts of a schema that describe its contents. */
interface Def {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
}

function fieldValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Document)[key] : undefined
}

function mapped(value: unknown, each: (item: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, each(item)]))
}
