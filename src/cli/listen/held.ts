/** Limits how many unsettled events `svc listen` keeps in memory. Reading stops at the limits. */

const MOST_EVENTS = 500
const MOST_BYTES = 64 * 1024 * 1024

export class Held {
  private count = 0
  private bytes = 0
  private waiting: (() => void)[] = []
  private readonly signal: AbortSignal

  /** An aborted `signal` ends all waits for room. */
  constructor(signal: AbortSignal) {
    this.signal = signal
    signal.addEventListener('abort', () => this.resume(), { once: true })
  }

  add(bytes: number): void {
    this.count += 1
    this.bytes += bytes
  }

  release(bytes: number): void {
    this.count -= 1
    this.bytes -= bytes
    if (this.hasRoom) this.resume()
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (!this.hasRoom && !this.signal.aborted) await new Promise<void>(resolve => this.waiting.push(resolve))
  }

  private resume(): void {
    for (const resume of this.waiting.splice(0)) resume()
  }

  private get hasRoom(): boolean {
    return this.count < MOST_EVENTS && this.bytes < MOST_BYTES
  }
}
