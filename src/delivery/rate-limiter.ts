/** How many deliveries a second an endpoint gets: a bucket that fills steadily, in real time. */

/** A bucket holds what flows in during this time, and one delivery at least: timers are no finer. */
const HELD_SECONDS = 0.05

export class RateLimiter {
  private readonly perSecond: number
  private readonly most: number
  private held: number
  private at: number

  /** `now` in milliseconds since any moment. */
  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond
    this.most = Math.max(1, perSecond * HELD_SECONDS)
    this.held = this.most
    this.at = now
  }

  /** Takes a delivery out and answers 0, or how many milliseconds to wait for the next. */
  take(now: number): number {
    this.held = Math.min(this.most, this.held + ((now - this.at) / 1000) * this.perSecond)
    this.at = now
    if (this.held >= 1) {
      this.held -= 1
      return 0
    }
    return Math.max(1, Math.ceil(((1 - this.held) / this.perSecond) * 1000))
  }
}
