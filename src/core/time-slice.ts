/**
 * Splits long work into short time slices. Work that checks `isOver` often, and awaits `rest` when it is true, blocks other work for at
 * most one slice: sockets are served and timers run in between.
 */

import { elapsedMs } from './time.ts'

/** Length of a slice. A slice may overrun by one step of the work, so steps must also be shorter than this. */
const SLICE_MS = 5

/**
 * Pieces of work that are resting. One continues at each tick of the event loop, so that many pieces block others no longer than one does.
 */
const resting: (() => void)[] = []

function goOn(): void {
  const next = resting.shift()
  if (resting.length > 0) setImmediate(goOn)
  next?.()
}

/** Resolves at a later tick of the event loop, after earlier callers. */
export function nextLoopTick(): Promise<void> {
  return new Promise(resolve => {
    if (resting.push(resolve) === 1) setImmediate(goOn)
  })
}

/** Measures how long one piece of work has run since it last rested. */
export class TimeSlice {
  private began = elapsedMs()

  get isOver(): boolean {
    return elapsedMs() - this.began > SLICE_MS
  }

  /** Lets other work continue. Throws the signal's reason if it is aborted by then. */
  async rest(signal?: AbortSignal): Promise<void> {
    await nextLoopTick()
    signal?.throwIfAborted()
    this.began = elapsedMs()
  }
}
