/** What keeps deliveries from going on, and what the log says of it. */
import { errorText } from '../core/error-text.ts'

const LINE_EVERY_MS = 60_000

export interface TroubleOptions {
  readonly say: (line: string) => void
  /** Told of what failed; true: it sees to the log. */
  readonly told: ((error: unknown) => boolean) | undefined
}

/** Says it once, and when it comes and goes once a minute. */
export class Trouble {
  /** Whether there is any. */
  isOn = false
  private readonly options: TroubleOptions
  private words: string | null = null
  private saidAt = Number.NEGATIVE_INFINITY
  private isToBeTakenBack = false

  constructor(options: TroubleOptions) {
    this.options = options
  }

  begin(error: unknown): void {
    this.isOn = true
    if (this.options.told?.(error) === true) return
    const words = errorText(error)
    const now = performance.now()
    const isNew = words !== this.words || (!this.isToBeTakenBack && now - this.saidAt > LINE_EVERY_MS)
    if (!isNew) return
    this.words = words
    this.saidAt = now
    this.isToBeTakenBack = true
    this.options.say(`deliveries rest: ${words}`)
  }

  end(): void {
    this.isOn = false
    if (this.isToBeTakenBack) this.options.say('deliveries: going on')
    this.isToBeTakenBack = false
  }
}
