/**
 * Tracks the progress of a live connection's collections, and decides what to pull next: the history in windows, newest first, then new
 * data.
 */
import type { Collection } from '../../../connectors/connector.ts'
import { countKind } from '../../../connectors/live/kind-counts.ts'
import type { PullWindow } from '../../../connectors/pull-window.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import type { CollectionProgress } from '../../../store/live/connections.ts'

type Progress = Readonly<Record<string, CollectionProgress>>

/** Oldest time that is pulled, because no provider has older data. Ends an unlimited history whose windows are never empty. */
const OLDEST = Date.UTC(2000, 0, 1)
const EMPTY_WINDOWS = 3

/** Returns whether a collection is not pulled, because the person did not grant one of its scopes or because the provider refuses it. */
export function isLeftOut({ scopes }: Collection, granted: ReadonlySet<string>): boolean {
  return !scopes.every(scope => granted.has(scope))
}

/** Returns whether the provider refused the collection last time although the person has granted its scopes. */
export function isRefused({ lastError }: CollectionProgress): boolean {
  return lastError?.kind === 'scope_missing'
}

/** Maximum postponement, including the possible difference between two clocks. */
export const FURTHEST_MS = DAY_MS + HOUR_MS

/** Returns a collection's progress, made due now if a wrong clock or a provider has postponed it too far. */
export function notTooFar(progress: CollectionProgress, now: EpochMs): CollectionProgress {
  return progress.dueAt > now + FURTHEST_MS ? { ...progress, dueAt: now } : progress
}

/** The data pulled in one step. */
export interface PullStep {
  readonly kind: 'historical' | 'refresh'
  readonly windows: readonly PullWindow[]
}

/** Returns the next pull for a due collection. `oldest` is the earliest time of the user's data. */
export function nextStep(
  collection: Collection,
  progress: CollectionProgress,
  { now, oldest }: { readonly now: EpochMs; readonly oldest: EpochMs },
): PullStep {
  // a long history must not delay new data
  if (progress.isComplete || now - progress.until >= collection.pollMs) {
    return { kind: 'refresh', windows: newWindows(collection, progress, now) }
  }
  const from = Math.max(progressFloor(progress, oldest), progress.reached - collection.windowDays * DAY_MS)
  return { kind: 'historical', windows: [{ from: Math.min(from, progress.reached), to: progress.reached }] }
}

/** Returns windows from some time before the last pull until now, oldest first. */
function newWindows(
  { overlapDays, windowDays }: Collection,
  { until }: CollectionProgress,
  now: EpochMs,
): PullWindow[] {
  // never empty, even if a clock was set back
  return splitWindow({ from: Math.min(until, now - MINUTE_MS) - overlapDays * DAY_MS, to: now }, windowDays)
}

/** Splits a window into windows that are short enough for one pull, oldest first. */
export function splitWindow({ from, to }: PullWindow, windowDays: number): PullWindow[] {
  const windows: PullWindow[] = []
  const lengthMs = windowDays * DAY_MS
  for (let at = from; at < to; at += lengthMs) windows.push({ from: at, to: Math.min(to, at + lengthMs) })
  return windows
}

/** The result of pulling a window. */
export interface WindowYield {
  readonly window: PullWindow
  readonly kind: PullStep['kind']
  /** Number of records, plus samples that belong to no record. */
  readonly received: number
  readonly unmapped: Readonly<Record<string, number>>
}

/** Returns the progress after a window. A collection with more history to pull stays due. */
export function afterWindow(
  collection: Collection,
  progress: CollectionProgress,
  brought: WindowYield,
  { now, oldest, nextAt }: { readonly now: EpochMs; readonly oldest: EpochMs; readonly nextAt: EpochMs },
): CollectionProgress {
  const { window, kind, received } = brought
  const shared = {
    ...progress,
    failures: 0,
    lastError: null,
    lastPullAt: now,
    received: progress.received + received,
    unmapped: added(progress.unmapped, brought.unmapped),
  }
  if (kind === 'refresh') {
    return { ...shared, until: Math.max(progress.until, window.to), dueAt: progress.isComplete ? nextAt : now }
  }
  const empty = received === 0 ? progress.empty + 1 : 0
  const isOver = progress.goal === null && empty >= (collection.emptyWindows ?? EMPTY_WINDOWS)
  const isComplete = isOver || window.from <= progressFloor(progress, oldest)
  return { ...shared, reached: window.from, empty, isComplete, dueAt: isComplete ? nextAt : now }
}

function progressFloor({ goal }: CollectionProgress, oldest: EpochMs): EpochMs {
  return Math.max(goal ?? OLDEST, oldest)
}

function added(
  before: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sum = new Map(Object.entries(before))
  for (const [kind, count] of Object.entries(more)) countKind(sum, kind, count)
  return Object.fromEntries(sum)
}

/** A resource whose history is complete. */
export interface CompletedResource {
  readonly resource: string
  readonly from: EpochMs
  readonly to: EpochMs
}

/** Returns the complete resources, for which the history of every collection that is not refused has been pulled. */
export function completedResources(
  collections: readonly Collection[],
  progress: Progress,
  resources: readonly string[],
): CompletedResource[] {
  return resources.flatMap(resource => {
    const states = collections
      .filter(each => each.resources.includes(resource))
      .flatMap(({ name }) => progress[name] ?? [])
      .filter(state => !isRefused(state))
    if (states.length === 0 || states.some(state => !state.isComplete)) return []
    return [
      {
        resource,
        from: Math.min(...states.map(({ reached }) => reached)),
        to: Math.max(...states.map(({ until }) => until)),
      },
    ]
  })
}
