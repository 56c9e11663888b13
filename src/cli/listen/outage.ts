/** While the target is unreachable, one attempt at a time checks whether it is back, and the others wait. */
import type { RandomSource } from '../../core/random.ts'
import { outageWaitMs } from './backoff.ts'
import { pause } from './feed.ts'

interface OutageOptions {
  readonly signal: AbortSignal
  readonly random: RandomSource
  /** Called when the target cannot be reached, and when it is reachable again. */
  readonly onDown: (reason: string) => void
  readonly onUp: (tookMs: number) => void
  /** Called when an attempt may start again. */
  readonly onRoom: () => void
}

interface Current {
  readonly sinceMs: number
  tries: number
  isCheckDue: boolean
}

export class Outage {
  private current: Current | undefined
  private readonly options: OutageOptions

  constructor(options: OutageOptions) {
    this.options = options
  }

  /** Whether new attempts must wait. */
  get isHolding(): boolean {
    return this.current !== undefined && !this.current.isCheckDue
  }

  /** Records the start of an attempt. Call the returned function with the reason why the target could not be reached, or null. */
  begin(): (unreachable: string | null) => void {
    const checked = this.current
    if (checked) checked.isCheckDue = false
    return unreachable => {
      if (unreachable === null) this.reached(checked)
      else if (this.current === undefined) this.start(unreachable)
      else if (this.current === checked) this.checkLater(checked)
    }
  }

  private start(reason: string): void {
    this.current = { sinceMs: performance.now(), tries: 0, isCheckDue: false }
    this.options.onDown(reason)
    this.checkLater(this.current)
  }

  private checkLater(current: Current): void {
    const { signal, random, onRoom } = this.options
    void pause(outageWaitMs(current.tries++, random), signal).then(() => {
      current.isCheckDue = true
      onRoom()
    })
  }

  /** Ends the outage, unless the attempt started before it. */
  private reached(checked: Current | undefined): void {
    if (checked === undefined || checked !== this.current) return
    this.current = undefined
    this.options.onUp(performance.now() - checked.sinceMs)
  }
}
