/** Reads the data that notifications refer to from a provider, and stores it. */
import type { Collection } from '../../../connectors/connector.ts'
import type { Hint } from '../../../connectors/notifications.ts'
import { ProviderError } from '../../../connectors/provider-session.ts'
import type { PullWindow } from '../../../connectors/pull-window.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { EngineContext } from '../../context.ts'
import type { LivePerson } from '../pulling/live-person.ts'
import { splitWindow } from '../pulling/progress.ts'
import { bringDeleted, bringWindow, type WindowPull } from '../pulling/pulled-pages.ts'

export type Hints = readonly Hint[]

/** Maximum length of a window in a notification. The end of a longer window is cut off. */
const LONGEST_DAYS = 100
/** How many days back to read for a new or changed record if its notification has no window. */
const RECORD_DAYS = 30

/** The parts of one collection that a notification refers to. */
export interface CollectionHints {
  readonly collection: Collection
  readonly records: readonly string[]
  readonly deleted: readonly string[]
  readonly window: PullWindow | null
}

/** Returns the items to read for these hints, without duplicates. Collections that the person did not grant are left out. */
export function mergeHints(person: LivePerson, hints: Hints, now: EpochMs): readonly CollectionHints[] {
  return person.collections.flatMap(collection => {
    const records = new Set<string>()
    const deleted = new Set<string>()
    const windows: PullWindow[] = []
    for (const hint of hints) {
      if (hint.kind === 'revoked' || hint.collection !== collection.name) continue
      if (hint.kind === 'record') records.add(hint.recordId)
      else if (hint.kind === 'deleted') deleted.add(hint.recordId)
      else windows.push(hint.window)
    }
    if (records.size + deleted.size + windows.length === 0) return []
    // for a record that was changed and deleted, the provider's data is authoritative, regardless of the order of the hints
    const gone = [...deleted].filter(id => !records.has(id))
    return [{ collection, records: [...records], deleted: gone, window: joinWindows(windows, now) }]
  })
}

/**
 * Reads and stores the items. Throws ProviderError, LeaseLost, the signal's reason, and any store error. An invalid response for one
 * collection is thrown only after the others have been read.
 */
export async function bringHints(
  engine: EngineContext,
  person: LivePerson,
  asked: readonly CollectionHints[],
): Promise<void> {
  const now = engine.wall.now()
  const near: PullWindow = { from: now - RECORD_DAYS * DAY_MS, to: now + DAY_MS }
  let badResponse: ProviderError | null = null
  for (const each of asked) {
    try {
      await bringAsked(engine, person, each, near)
    } catch (error) {
      if (!(error instanceof ProviderError && error.kind === 'bad_answer')) throw error
      badResponse ??= error
    }
  }
  if (badResponse) throw badResponse
}

async function bringAsked(
  engine: EngineContext,
  person: LivePerson,
  { collection, records, deleted, window }: CollectionHints,
  near: PullWindow,
): Promise<void> {
  const pull: Omit<WindowPull, 'ended'> = {
    collection,
    kind: 'refresh',
    request: { window: near },
    events: person.progress.get(collection.name)?.isComplete ? 'daily' : 'none',
  }
  if (deleted.length > 0) await bringDeleted(engine, person, pull, deleted)
  for (const recordId of records) await bringRecord(engine, person, pull, recordId)
  for (const part of window ? splitWindow(window, collection.windowDays) : []) {
    await bringWindow(engine, person, { ...pull, request: { window: part }, ended: nothingMore })
  }
}

async function bringRecord(
  engine: EngineContext,
  person: LivePerson,
  pull: Omit<WindowPull, 'ended'>,
  recordId: string,
): Promise<void> {
  try {
    const request = { window: pull.request.window, recordId }
    await bringWindow(engine, person, { ...pull, request, ended: nothingMore })
  } catch (error) {
    if (!(error instanceof ProviderError && error.kind === 'not_found')) throw error
    // the record has since been deleted
    await bringDeleted(engine, person, pull, [recordId])
  }
}

const nothingMore = (): undefined => undefined

function joinWindows(windows: readonly PullWindow[], now: EpochMs): PullWindow | null {
  if (windows.length === 0) return null
  const to = Math.min(now + DAY_MS, Math.max(...windows.map(window => window.to)))
  const from = Math.max(to - LONGEST_DAYS * DAY_MS, Math.min(...windows.map(window => window.from)))
  return from < to ? { from, to } : null
}
