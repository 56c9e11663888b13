/** Limits an endpoint's deliveries per second with a token bucket that refills steadily, in real time. */

/** The time span whose deliveries fit into the bucket, which holds at least one. Timers are not more precise than this. */
const HELD_SECONDS = 0.05

export class RateLimiter {
  private readonly perSecond: number
  private readonly most: number
  private held: number
  private at: number

  /** `now` is in milliseconds from any fixed moment. `most` is the bucket's size. */
  constructor(perSecond: number, now: number, most = Math.max(1, perSecond * HELD_SECONDS)) {
    this.perSecond = perSecond
    this.most = most
    this.held = this.most
    this.at = now
  }

  /** Takes a token and returns 0, or returns the time to wait for the next one in milliseconds. */
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
