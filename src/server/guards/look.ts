/** Repeats a check for as long as the server runs. */

export interface Watch {
  /** Checks now, unless a check is already in progress. */
  look(): Promise<void>
  stop(): void
}

/** Calls `look` every `everyMs`, but never while an earlier call is still running. `look` must not throw. */
export function startWatch(everyMs: number, look: () => Promise<void>): Watch {
  let isLooking = false
  const lookOnce = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    await look()
    isLooking = false
  }
  const timer = setInterval(() => void lookOnce(), everyMs)
  timer.unref()
  return { look: lookOnce, stop: () => clearInterval(timer) }
}
