/** While nothing listens at the target, one event is tried again and again, and the others wait for it. */
import { type Chance, outageWaitMs } from './backoff.ts'
import { pause } from './feed.ts'

interface OutageOptions<Outcome> {
  readonly signal: AbortSignal
  readonly chance: Chance
  readonly isUnreachable: (outcome: Outcome) => boolean
  /** Once an outage, and once when it is over. */
  readonly onDown: (outcome: Outcome) => void
  readonly onUp: (tookMs: number) => void
}

export class OutageGate<Outcome> {
  private over: Promise<void> | undefined
  private readonly options: OutageOptions<Outcome>

  constructor(options: OutageOptions<Outcome>) {
    this.options = options
  }

  /** Posts, again until the target was reached. Throws the reason of the signal when that is aborted before. */
  async through(post: () => Promise<Outcome>): Promise<Outcome> {
    const { signal, isUnreachable } = this.options
    for (;;) {
      while (this.over) await this.over
      signal.throwIfAborted()
      const outcome = await post()
      if (!isUnreachable(outcome)) return outcome
      // another one may have found out meanwhile
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
