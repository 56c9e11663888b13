/**
 * Splits long work into short time slices. Work that checks `isOver` often, and awaits `rest` when `isOver` is true, blocks other work for
 * at most one slice. Sockets are served and timers run between slices.
 */

import { elapsedMs } from './time.ts'

/** Length of a slice. A slice may overrun by one step of the work, so steps must also be shorter than a slice. */
const SLICE_MS = 5

/**
 * Pieces of work that are resting. One of them continues at each tick of the event loop, so that many pieces do not block others for longer
 * than one piece would.
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

/** Measures how long a piece of work has been running since it last rested. */
export class TimeSlice {
  private began = elapsedMs()

  get isOver(): boolean {
    return elapsedMs() - this.began > SLICE_MS
  }

  /** Lets other work continue. Then throws the signal's reason if the signal is aborted. */
  async rest(signal?: AbortSignal): Promise<void> {
    await nextLoopTick()
    signal?.throwIfAborted()
    this.began = elapsedMs()
  }
}
