/** Loads the data of a resource chart: every sample, or buckets if there are too many samples. */
import { useMemo, useState } from 'preact/hooks'
import { type Load, useLoader } from '../../../api/use-call.ts'
import { summarizeValues, summaryText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { isQueried, notAvailable } from '../merging.ts'
import { type BucketSeries, bucketMinutes, bucketSummary, readBuckets } from './buckets.ts'
import { amountSummary, type MergedBuckets, mergedStep, readMerged } from './merged.ts'
import { type Note, readSamples, type SamplesRequest, type SourceSeries } from './raw.ts'

/** With more samples than this, the server sends the lowest and highest value of each bucket instead. */
const MOST_SAMPLES = 150_000
/** Reading more samples than this takes so long that buckets are shown first. */
const SEVERAL_PAGES = 20_000

export type Samples =
  | {
      readonly level: 'samples'
      readonly loaded: View
      readonly series: readonly SourceSeries[]
      readonly notes: readonly Note[]
      readonly preferred: string | null
      readonly isComplete: boolean
      /** The only source, so that there is nothing to merge; null if there are several, or if the page does not know. */
      readonly only: string | null
    }
  | {
      readonly level: 'buckets'
      readonly loaded: View
      readonly series: readonly BucketSeries[]
      readonly width: number
      readonly preferred: string | null
    }
  | ({ readonly level: 'merged'; readonly loaded: View; readonly preferred: null } & MergedBuckets)

/**
 * Loads a time range and half of its length on both sides, so that panning shows data. Loads again only if the view leaves the loaded
 * range, or if smaller buckets would show more.
 */
export function useSamples(base: Omit<SamplesRequest, 'view'>, view: View, isMerged: boolean): Load<Samples> {
  const { userId, zone, resource } = base
  const plan = useMemo(() => new LoadPlan(), [userId, resource.resource, zone, isMerged])
  const loaded = plan.cover(view)
  const key = `${userId} ${resource.resource} ${zone} ${isMerged} ${loaded.from} ${loaded.to}`
  const [early, setEarly] = useState<Samples | null>(null)
  const next = useLoader(key, async signal => {
    const samples = await load({ ...base, view: loaded }, isMerged, signal, setEarly)
    plan.loaded = samples
    return samples
  })
  // earlier data of the same resource stays until the rest is loaded
  const before = early?.loaded === loaded ? early : plan.loaded
  return { ...next, data: next.data ?? before ?? undefined }
}

/** Determines the time range to load for a view. */
class LoadPlan {
  loaded: Samples | null = null
  private requested: View | null = null

  cover(view: View): View {
    const { requested, loaded } = this
    if (requested && requested.from <= view.from && requested.to >= view.to && !(loaded && canBeFiner(loaded, view)))
      return requested
    const room = (view.to - view.from) / 2
    this.requested = { from: Math.floor((view.from - room) / 60) * 60, to: Math.ceil((view.to + room) / 60) * 60 }
    return this.requested
  }
}

function canBeFiner(samples: Samples, view: View): boolean {
  const length = view.to - view.from
  if (samples.level === 'merged') return !samples.isFinest && mergedStep(view).seconds < samples.width
  if (samples.level === 'samples') return !samples.isComplete && length < (samples.loaded.to - samples.loaded.from) / 8
  // half of the length is also loaded on both sides
  return bucketMinutes({ from: 0, to: 2 * length }) * 60 < samples.width || length < samples.width * 200
}

/** Loads a time range: merged buckets if several sources have data, otherwise samples. While many samples are being read, `onBuckets` receives the range's buckets, which arrive much sooner. */
async function load(
  wanted: SamplesRequest,
  isMerged: boolean,
  signal: AbortSignal,
  onBuckets: (early: Samples) => void,
): Promise<Samples> {
  const buckets = isQueried(wanted.resource) ? await readBuckets(wanted, signal).catch(notAvailable) : null
  const loaded = wanted.view
  const { sources = [], kinds = [] } = buckets?.stored ?? {}
  if (buckets !== null && isMerged && sources.length > 1)
    return { level: 'merged', loaded, preferred: null, ...(await readMerged(wanted, buckets.stored, signal)) }
  if (buckets !== null && buckets.total > MOST_SAMPLES) return { level: 'buckets', loaded, ...buckets }
  if (buckets !== null && buckets.total > SEVERAL_PAGES) onBuckets({ level: 'buckets', loaded, ...buckets })
  const raw = await readSamples(wanted, { most: MOST_SAMPLES, isByMark: kinds.length > 0 }, signal)
  const only = sources.length === 1 ? (sources[0] ?? null) : null
  return { level: 'samples', loaded, preferred: buckets?.preferred ?? null, only, ...raw }
}

/** Returns a sentence about each series in a view. */
export function summaryTexts(samples: Samples, view: View, isAmount: boolean): readonly string[] {
  if (samples.level === 'samples')
    return samples.series.map(each => summaryText(each.label, each.unit, summarizeValues(each, view)))
  if (samples.level === 'merged' && isAmount)
    return samples.series.map(each => amountSummary(each, samples.width, view))
  return samples.series.map(each => summaryText(each.label, each.unit, bucketSummary(each, samples.width, view)))
}
