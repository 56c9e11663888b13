/** Reconstructs the summaries of an earlier time. Changes nothing. */

import { getOrInsert } from '../../../../core/maps.ts'
import type { SummaryKind } from '../../../../core/sample.ts'
import type { SummaryVersion } from '../../../../store/history.ts'
import type { StoredSummary, SummaryQuery } from '../../../../store/sample.ts'
import type { History } from './history.ts'

/** Returns the summaries of a query at an earlier time, in the order of the store. Notes what is not certain. */
export async function pastSummaries(history: History, query: SummaryQuery): Promise<StoredSummary[]> {
  const { store, userId, at } = history.asked
  const { kind, provider, fromDate, toDate } = query
  await history.noteRemovals(kind)
  noteUndone(history, kind)
  const present = await store.summaries.list(userId, { kind, provider, fromDate: '0001-01-01', toDate: '9999-12-31' })
  const versions = new Map<string, SummaryVersion[]>()
  if (present.some(({ updatedAt }) => updatedAt > at)) {
    for (const version of await store.history.summaryVersions(userId, kind))
      getOrInsert(versions, version.summary.id, () => []).push(version)
  }
  return present
    .flatMap(summary => versionAt(summary, versions.get(summary.id) ?? [], history) ?? [])
    .filter(({ date }) => date >= fromDate && date <= toDate)
    .sort((a, b) => compare(a.date, b.date) || a.at - b.at || compare(a.id, b.id))
}

/** Notes imports of the time that were undone after it, which may have removed summaries. */
function noteUndone({ imports, asked: { at }, uncertain }: History, kind: SummaryKind): void {
  for (const { importId, at: began, undoneAt, names } of imports) {
    if (began <= at && undoneAt !== null && undoneAt > at && names.includes(kind))
      uncertain.add(undoneAt, `import ${importId} was undone after it`)
  }
}

/** Returns the version of a summary at the time; null if there was none. */
function versionAt(present: StoredSummary, known: readonly SummaryVersion[], history: History): StoredSummary | null {
  const { at } = history.asked
  let version = present
  while (version.updatedAt > at) {
    if (version.createdAt > at) return null
    // an import says which version it replaced
    const before = known.find(({ replacedBy }) => replacedBy === version.updatedAt)
    if (before === undefined) return olderVersion(version, known, history)
    version = before.summary
  }
  return version
}

/** Returns the newest known version of the time. Notes it if another one may have come between it and the given one without an event. */
function olderVersion(
  { kind, provider, updatedAt }: StoredSummary,
  known: readonly SummaryVersion[],
  history: History,
): StoredSummary | null {
  const { asked, uncertain } = history
  const then = known.map(({ summary }) => summary).filter(each => each.updatedAt <= asked.at)
  const newest = then.length === 0 ? null : then.reduce((a, b) => (b.updatedAt > a.updatedAt ? b : a))
  if (newest === null || history.mayBeSilent(provider, kind, newest.updatedAt, asked.at))
    uncertain.add(updatedAt, `a summary of ${provider} was replaced after it, and its former version is not kept`)
  return newest
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
