/** Pulls several of a person's collections at once. While one waits for the provider, another is stored, and both are synced together. */
import { PullInterrupted } from '../mapping/mapping.ts'
import type { WindowPull } from './pulled-pages.ts'

/** A collection's completed step, with its failure if there was one. */
export interface Stepped {
  readonly name: string
  readonly failure?: { readonly error: unknown; readonly pull: Omit<WindowPull, 'ended'> }
}

export interface StepsAtOnce {
  /** Maximum number of collections at once. */
  readonly most: number
  /** Returns the next collection that is not yet in progress, or null. */
  next(underWay: ReadonlySet<string>): string | null
  /** Runs a collection's next step. Returns the failure, if any. The signal ends the step between two pages. */
  step(name: string, signal: AbortSignal): Promise<Stepped>
}

/** Stops the other steps after one has failed. Data that they have not stored is pulled again. */
const HALTED = new Error('another collection failed')

/** Runs steps until none is left or one fails, and returns the steps that failed on their own. Afterwards, no step is in progress. */
export async function stepsUntilFailure({ most, next, step }: StepsAtOnce): Promise<readonly Stepped[]> {
  const halt = new AbortController()
  const running = new Map<string, Promise<Stepped>>()
  const failed: Stepped[] = []
  for (;;) {
    while (running.size < most && !halt.signal.aborted) {
      const name = next(new Set(running.keys()))
      if (name === null) break
      running.set(name, step(name, halt.signal))
    }
    if (running.size === 0) return failed
    const ended = await Promise.race(running.values())
    running.delete(ended.name)
    if (ended.failure === undefined) continue
    halt.abort(HALTED)
    const { error } = ended.failure
    if (error !== HALTED && !(error instanceof PullInterrupted)) failed.push(ended)
  }
}
