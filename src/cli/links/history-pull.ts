/** Pulls the history of a live connection and shows the progress. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ResponseOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatCount } from '../../core/text.ts'
import { SECOND_MS } from '../../core/time.ts'
import { progressBar } from '../../output/progress.ts'

type Status = ResponseOf<'provider.status'>
type Collection = Status['connections'][number]['collections'][number]
type Refreshed = ResponseOf<'user.refresh'>

/** Interval for reading the progress. */
const LOOK_MS = SECOND_MS
/** If a refresh ends sooner than this with work left, it is waiting for the provider, and another refresh would not help. */
const SHORT_MS = 4 * SECOND_MS

interface PullDisplay {
  readonly title: string
  readonly isQuiet: boolean
  /** Returns the live connections to pull. */
  readonly look: () => Promise<Status>
}

/** Waits for a call and meanwhile shows the progress of historical pulls on a terminal. Shows nothing for a short call. */
export async function withPullProgress<T>(call: Promise<T>, { title, isQuiet, look }: PullDisplay): Promise<T> {
  if (isQuiet || !process.stderr.isTTY) return call
  const bar = progressBar(title, { quiet: false })
  const end = new AbortController()
  const showing = (async () => {
    for (;;) {
      await delay(LOOK_MS, undefined, { signal: end.signal })
      const { connections } = await look()
      const pulled = connections.map(each => each.collections).filter(each => each.some(isInHistory))
      if (pulled.length > 0 && !end.signal.aborted) bar.update(...pullProgress(pulled.flat()))
    }
    // ignore errors here: progress is optional, and the call itself reports errors
  })().catch(() => {})
  try {
    return await call
  } finally {
    end.abort()
    await showing
    bar.end()
  }
}

function isInHistory({ state }: Collection): boolean {
  return state === 'history'
}

/** Returns the number of finished collections, their total, and the note for the bar. */
function pullProgress(collections: readonly Collection[]): [done: number, total: number, note: string] {
  const total = collections.length
  const complete = collections.filter(each => !isInHistory(each)).length
  const received = collections.reduce((sum, each) => sum + each.received, 0)
  const done = collections.reduce((sum, each) => sum + doneShare(each), 0)
  // shows progress when the start of the history is unknown
  const [back] = collections
    .filter(isInHistory)
    .map(each => each.reached.slice(0, 10))
    .sort()
    .reverse()
  const reached = back === undefined ? '' : `, back to ${back}`
  return [done, total, `${complete} of ${total} parts, ${formatCount(received)} records${reached}`]
}

/** Returns the fraction of a history that has been pulled, from 0 to 1; 0 while the start is unknown. */
function doneShare(collection: Collection): number {
  if (!isInHistory(collection)) return 1
  const until = Date.parse(collection.until)
  const goal = Date.parse(collection.goal ?? '')
  return until > goal ? (until - Date.parse(collection.reached)) / (until - goal) : 0
}

interface HistoryPull extends Pick<PullDisplay, 'isQuiet' | 'look'> {
  readonly provider: string
  readonly name: string
  readonly signal: AbortSignal
  readonly refresh: () => Promise<Refreshed>
}

/** Outcome of a pull; `left` means that some data is still missing. */
export type HistoryOutcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'left'; readonly why: string }

/**
 * Refreshes the user repeatedly until the provider's history is complete. Returns errors that the user can act on instead of throwing them.
 */
export async function pullHistory(pull: HistoryPull): Promise<HistoryOutcome> {
  const isOfProvider = (source: string) => source.startsWith(`${pull.provider}/`)
  const title = `Pulling the history of ${pull.name}`
  for (;;) {
    const startedAt = performance.now()
    try {
      const reply = await withPullProgress(pull.refresh(), { ...pull, title })
      if (reply.failed_sources.some(isOfProvider)) return { kind: 'failed' }
      if (!reply.in_progress_sources.some(isOfProvider)) return { kind: 'complete' }
    } catch (error) {
      if (pull.signal.aborted) return { kind: 'left', why: 'The pull was stopped.' }
      if (error instanceof ServiceError) return { kind: 'left', why: error.message }
      throw error
    }
    if (pull.signal.aborted) return { kind: 'left', why: 'The pull was stopped.' }
    if (performance.now() - startedAt < SHORT_MS)
      return { kind: 'left', why: `${pull.name} limits the number of requests.` }
  }
}
