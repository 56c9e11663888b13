/** While the target is unreachable, retries one event and lets the others wait. */
import { type Chance, outageWaitMs } from './backoff.ts'
import { pause } from './feed.ts'

interface OutageOptions<Outcome> {
  readonly signal: AbortSignal
  readonly chance: Chance
  readonly isUnreachable: (outcome: Outcome) => boolean
  /** Called once when an outage starts, and once when it ends. */
  readonly onDown: (outcome: Outcome) => void
  readonly onUp: (tookMs: number) => void
}

export class OutageGate<Outcome> {
  private over: Promise<void> | undefined
  private readonly options: OutageOptions<Outcome>

  constructor(options: OutageOptions<Outcome>) {
    this.options = options
  }

  /** Posts until the target is reached. Throws the reason of the signal if it is aborted first. */
  async through(post: () => Promise<Outcome>): Promise<Outcome> {
    const { signal, isUnreachable } = this.options
    for (;;) {
      while (this.over) await this.over
      signal.throwIfAborted()
      const outcome = await post()
      if (!isUnreachable(outcome)) return outcome
      // Another post may have noticed the outage in the meantime.
      if (!this.over) return this.probe(post, outcome)
    }
  }

  private async probe(post: () => Promise<Outcome>, first: Outcome): Promise<Outcome> {
    const { signal, chance, isUnreachable, onDown, onUp } = this.options
    const sinceMs = performance.now()
    let open = () => {}
    this.over = new Promise(resolve => {
      open = resolve
    })
    onDown(first)
    try {
      for (let tries = 0; ; tries++) {
        await pause(outageWaitMs(tries, chance), signal)
        signal.throwIfAborted()
        const outcome = await post()
        if (isUnreachable(outcome)) continue
        onUp(performance.now() - sinceMs)
        return outcome
      }
    } finally {
      this.over = undefined
      open()
    }
  }
}
