/** Finds the resources for which a user has data, from the service's list of resources and its overview of the user. */
import { formatTitle, readableName, unitText } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { DAY, toFloating } from '../../parts/floating.ts'

export type TimeseriesResource = ResponseOf<'timeseries.resources'>['data'][number]

/** A resource for which a user has data. */
export interface OwnResource {
  /** Name in paths, such as `body_weight`. */
  readonly name: string
  /** The service's description; null for summaries. */
  readonly timeseries: TimeseriesResource | null
  /** Unix seconds. */
  readonly oldest: number
  readonly newest: number
  readonly providers: readonly string[]
}

/** Loads a user's resources, sorted by name; `own` is undefined until they are known. */
export function useOwnResources(userId: string | null) {
  const all = useLoad('timeseries.resources', {})
  const load = useLoad('introspect.resources', userId === null ? null : { query: { user_id: userId } })
  const providers = load.data?.data[0]?.provider ?? {}
  return { all, load, own: all.data && load.data ? ownResources(all.data.data, providers) : undefined }
}

type Providers = ResponseOf<'introspect.resources'>['data'][number]['provider']

function ownResources(all: readonly TimeseriesResource[], providers: Providers): readonly OwnResource[] {
  const found = new Map<string, OwnResource>()
  for (const [provider, resources] of Object.entries(providers)) {
    for (const [eventName, { oldest_data: oldest, newest_data: newest }] of Object.entries(resources)) {
      if (oldest === null || newest === null) continue
      const timeseries = all.find(each => each.event_name === eventName) ?? null
      const name = timeseries?.resource ?? eventName
      // streams are shown with their workouts
      if (name.endsWith('_stream')) continue
      const before = found.get(name)
      found.set(name, {
        name,
        timeseries,
        oldest: Math.min(before?.oldest ?? Number.POSITIVE_INFINITY, Date.parse(oldest) / 1000),
        newest: Math.max(before?.newest ?? Number.NEGATIVE_INFINITY, Date.parse(newest) / 1000),
        providers: [...(before?.providers ?? []), provider],
      })
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the start of the local day of a resource's newest data, as floating time. */
export function lastDay({ newest, timeseries }: OwnResource, zone: string | null): number {
  // the time of a daily summary is midnight UTC of its date, whatever the time zone
  const isDate = timeseries === null && newest % DAY === 0
  return Math.floor((isDate ? newest : toFloating(newest, null, zone)) / DAY) * DAY
}

/** Returns the name of a resource with its unit, such as `Heart rate, bpm`. */
export function resourceHeading({ resource, unit }: TimeseriesResource): string {
  return [formatTitle(resource), unitText(unit)].filter(Boolean).join(', ')
}

/** Returns the name of a source, such as `garmin · chest strap`. */
export function sourceText({ provider, type }: { readonly provider: string; readonly type: string }): string {
  return `${provider} · ${readableName(type)}`
}
