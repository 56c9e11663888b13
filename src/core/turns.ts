/**
 * Long work in short stretches. Work that asks `isOver` often, and awaits `rest` when it is, holds up nobody for longer than a
 * stretch: sockets are served and timers run in between.
 */

/** A stretch may run over by one step of the work: steps are to stay below this too. */
const STRETCH_MS = 5

/** Work that rests. One goes on at each turn of the event loop, so that many at once hold up others no longer than one does. */
const resting: (() => void)[] = []

function goOn(): void {
  const next = resting.shift()
  if (resting.length > 0) setImmediate(goOn)
  next?.()
}

/** Resolves at a later turn of the event loop, after those who asked before. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    if (resting.push(resolve) === 1) setImmediate(goOn)
  })
}

/** The time that one piece of work has had since it last rested. */
export class Stretch {
  private began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.began > STRETCH_MS
  }

  /** Lets others go on. Throws the signal's reason when it is aborted by then. */
  async rest(signal?: AbortSignal): Promise<void> {
    await nextTurn()
    signal?.throwIfAborted()
    this.began = performance.now()
  }
}
