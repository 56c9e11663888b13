/** Finds a user's samples of one resource, so that some of them can be changed or new ones added. */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { sampleLines } from '../../connectors/files/items/lines.ts'
import { present } from '../../core/present.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { SeriesSlice } from '../../store/sample.ts'
import type { TriggerCause } from './cause.ts'
import { isSame, parsePushedItem, type TriggerItem } from './push.ts'
import type { Source } from './source.ts'

/** How many days to look back for samples. Each step is taken only if the previous one found too few samples. */
const LOOKED_DAYS = [1, 30, 400, 20_000] as const

/** Returns the start times of the source's samples in [from, to]. */
export async function heldSamples(
  wanted: TriggerCause,
  resource: TimeseriesResource,
  source: Source,
  from: EpochMs,
  to: EpochMs,
): Promise<EpochMs[]> {
  const starts: EpochMs[] = []
  for await (const { columns } of readSlices(wanted, resource, source, from, to)) starts.push(...columns.start)
  return starts
}

/**
 * Returns the newest samples that `change` would alter, up to the requested number, newest first. If a time was given, returns only samples
 * at that time. A null `source` means every source.
 */
export async function newestSamples(
  wanted: TriggerCause,
  resource: TimeseriesResource,
  source: Source | null,
  change: (item: TriggerItem) => TriggerItem,
): Promise<TriggerItem[]> {
  const { at, call, count } = wanted
  const differs = (item: TriggerItem): boolean => !isSame(change(item), item)
  if (at !== null) return (await itemsIn(wanted, resource, source, at, at)).filter(differs).slice(0, count)
  let found: TriggerItem[] = []
  for (const days of LOOKED_DAYS) {
    // a sample may belong to a day that has so far begun only in other time zones
    const items = await itemsIn(wanted, resource, source, call.now - days * DAY_MS, call.now + DAY_MS)
    found = items.filter(differs).slice(0, count)
    if (found.length === count) break
  }
  return found
}

/** Returns samples, newest first. */
async function itemsIn(
  wanted: TriggerCause,
  resource: TimeseriesResource,
  source: Source | null,
  from: EpochMs,
  to: EpochMs,
): Promise<TriggerItem[]> {
  const items: { readonly start: EpochMs; readonly item: TriggerItem }[] = []
  for await (const { series, columns } of readSlices(wanted, resource, source, from, to)) {
    const lines = [...sampleLines(series, columns)].join('').split('\n')
    for (const [row, start] of columns.start.entries()) {
      items.push({ start, item: parsePushedItem(present(lines[row], 'the line of a sample')) })
    }
    // older samples than these are never requested
    items.sort((a, b) => b.start - a.start).splice(Math.max(1_000, wanted.count * 2))
  }
  return items.map(each => each.item)
}

async function* readSlices(
  { engine, user }: TriggerCause,
  resource: TimeseriesResource,
  source: Source | null,
  from: EpochMs,
  to: EpochMs,
): AsyncGenerator<SeriesSlice> {
  const query = { resource: resource.name, provider: source?.provider ?? null, from, to }
  for await (const slice of engine.store.samples.scan(user.userId, query)) {
    if (slice.columns.n > 0 && (source === null || slice.series.sourceType === source.sourceType)) yield slice
  }
}
