/** Pulls the history of a live connection, and shows how far it is. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AnswerOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { SECOND_MS } from '../../core/time.ts'
import { progressBar } from '../../output/progress.ts'

type Pulls = AnswerOf<'introspect.historical_pulls'>
type Refreshed = AnswerOf<'user.refresh'>

/** How often the progress is read. */
const LOOK_MS = SECOND_MS
/** A refresh that ends sooner although work is left waits for the provider, and another one would not help. */
const SHORT_MS = 4 * SECOND_MS
const OVER = new Set(['success', 'failure'])

interface Shown {
  readonly title: string
  readonly isQuiet: boolean
  readonly look: () => Promise<Pulls>
}

/** Waits for a call, and shows on a terminal how far the historical pulls are meanwhile. A short call shows nothing. */
export async function withPullProgress<T>(call: Promise<T>, { title, isQuiet, look }: Shown): Promise<T> {
  if (isQuiet || !process.stderr.isTTY) return call
  const bar = progressBar(title, { quiet: false })
  const end = new AbortController()
  const showing = (async () => {
    for (;;) {
      await delay(LOOK_MS, undefined, { signal: end.signal })
      const { done, total } = progressOf(await look())
      if (total > done && !end.signal.aborted) bar.update(done, total, `${done} of ${total} resources`)
    }
    // progress is a courtesy: the call itself says what is wrong
  })().catch(() => {})
  try {
    return await call
  } finally {
    end.abort()
    await showing
    bar.end()
  }
}

/** Counts the resources of the providers whose history is not complete. */
function progressOf({ data }: Pulls): { readonly done: number; readonly total: number } {
  const states = data
    .flatMap(({ provider }) => Object.values(provider))
    .map(({ pulled }) => Object.values(pulled).map(({ status }) => status))
    .filter(each => each.some(status => !OVER.has(status)))
    .flat()
  return { done: states.filter(status => OVER.has(status)).length, total: states.length }
}

interface HistoryPull extends Pick<Shown, 'isQuiet' | 'look'> {
  readonly provider: string
  readonly name: string
  readonly signal: AbortSignal
  readonly refresh: () => Promise<Refreshed>
}

/** How a pull ended: `left` says why not everything is there yet. */
export type HistoryOutcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'left'; readonly why: string }

/** Refreshes the user again and again until the history of the provider is complete. Throws nothing that the user can act on. */
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
    if (performance.now() - startedAt < SHORT_MS) return { kind: 'left', why: `${pull.name} limits the requests.` }
  }
}
