/** The problem that currently stops all deliveries, and its log message. */
import { errorText } from '../core/error-text.ts'

const LINE_EVERY_MS = 60_000

export interface TroubleOptions {
  readonly say: (line: string) => void
  /** Called with the error; returns true if the callee takes care of logging it. */
  readonly onError: ((error: unknown) => boolean) | undefined
}

/** Logs a problem once. Logs a recurring problem at most once a minute. */
export class Trouble {
  /** Whether there is a problem now. */
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
    if (this.options.onError?.(error) === true) return
    const words = errorText(error)
    const now = performance.now()
    const isNew = words !== this.words || (!this.isToBeTakenBack && now - this.saidAt > LINE_EVERY_MS)
    if (!isNew) return
    this.words = words
    this.saidAt = now
    this.isToBeTakenBack = true
    this.options.say(`deliveries are paused: ${words}`)
  }

  end(): void {
    this.isOn = false
    if (this.isToBeTakenBack) this.options.say('deliveries: resumed')
    this.isToBeTakenBack = false
  }
}
