/** The samples that a user has of a resource, for those who want to change some or to add to them. */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { sampleLines } from '../../connectors/files/items/lines.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { SeriesSlice } from '../../store/port.ts'
import type { Wanted } from './cause.ts'
import type { Source } from './source.ts'

/** A sample in the format of pushes (docs/samples.md). */
export type SampleItem = Readonly<Record<string, unknown>>

/** How far back is looked for samples, in days: no further than it takes. */
const LOOKED_DAYS = [1, 30, 400, 20_000] as const

/** The starts of the source's samples in [from, to]. */
export async function heldSamples(
  wanted: Wanted,
  resource: TimeseriesResource,
  source: Source,
  from: EpochMs,
  to: EpochMs,
): Promise<EpochMs[]> {
  const starts: EpochMs[] = []
  for await (const { columns } of slicesOf(wanted, resource, source, from, to)) starts.push(...columns.start)
  return starts
}

/**
 * The newest samples that `change` makes another one of, newest first and as many as are wanted; at the time that was named only
 * the one there. `source` null: of every source.
 */
export async function newestSamples(
  wanted: Wanted,
  resource: TimeseriesResource,
  source: Source | null,
  change: (item: SampleItem) => SampleItem,
): Promise<SampleItem[]> {
  const { at, call, count } = wanted
  const differs = (item: SampleItem): boolean => JSON.stringify(change(item)) !== JSON.stringify(item)
  if (at !== null) return (await itemsIn(wanted, resource, source, at, at)).filter(differs).slice(0, count)
  let found: SampleItem[] = []
  for (const days of LOOKED_DAYS) {
    // a sample may be of a day that has begun elsewhere only
    const items = await itemsIn(wanted, resource, source, call.now - days * DAY_MS, call.now + DAY_MS)
    found = items.filter(differs).slice(0, count)
    if (found.length === count) break
  }
  return found
}

/** Newest first. */
async function itemsIn(
  wanted: Wanted,
  resource: TimeseriesResource,
  source: Source | null,
  from: EpochMs,
  to: EpochMs,
): Promise<SampleItem[]> {
  const items: { readonly start: EpochMs; readonly item: SampleItem }[] = []
  for await (const { series, columns } of slicesOf(wanted, resource, source, from, to)) {
    const lines = [...sampleLines(series, columns)].join('').split('\n')
    const starts = columns.start
    for (let row = 0; row < columns.n; row++) {
      items.push({ start: starts[row] as number, item: JSON.parse(lines[row] as string) as SampleItem })
    }
    // more than are wanted of the newest are never asked for
    items.sort((a, b) => b.start - a.start).splice(Math.max(1_000, wanted.count * 2))
  }
  return items.map(each => each.item)
}

async function* slicesOf(
  { engine, user }: Wanted,
  resource: TimeseriesResource,
  source: Source | null,
  from: EpochMs,
  to: EpochMs,
): AsyncGenerator<SeriesSlice> {
  const query = { resource: resource.name, provider: source?.provider ?? null, from, to }
  for await (const slice of engine.store.scanSamples(user.userId, query)) {
    if (slice.columns.n > 0 && (source === null || slice.series.sourceType === source.sourceType)) yield slice
  }
}
