/** Waiting for something to happen, always with a limit: a busy machine is slow, but an event that never happens is a failure. */
import { setTimeout as delay } from 'node:timers/promises'

const PATIENCE_MS = 60_000

export interface Patience {
  readonly mostMs?: number
  readonly everyMs?: number
  /** Message after the timeout. */
  readonly why?: () => string
}

type Nothing = false | null | undefined

/** Waits until the condition returns something truthy, and returns that. */
export async function until<T>(
  condition: () => T | Nothing | Promise<T | Nothing>,
  patience: Patience = {},
): Promise<T> {
  const { mostMs = PATIENCE_MS, everyMs = 5, why = () => 'it did not happen in time' } = patience
  const deadline = performance.now() + mostMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(why())
    await delay(everyMs)
  }
}

/** Returns the value that a promise resolves with, unless it takes too long. */
export function within<T>(promise: Promise<T>, why: () => string, mostMs = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(why())), mostMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
