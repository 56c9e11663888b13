/** Computes increasing pauses after provider failures, with full jitter, so that many clients do not retry at the same time. */
import type { RandomSource } from '../../core/random.ts'

/** Returns a pause in milliseconds, between half and all of the maximum for `failures` consecutive failures. */
export function pauseAfter(
  failures: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
  random: RandomSource,
): number {
  const most = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(most * (0.5 + uniform(random) / 2))
}

/** Returns a uniformly distributed number in [0, 1]. */
export function uniform(random: RandomSource): number {
  const [a = 0, b = 0] = random.bytes(2)
  return (a * 256 + b) / 65_535
}

/** Waits. Throws the signal's reason if the signal aborts first. */
export function paused(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
