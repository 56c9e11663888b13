/** Limits how many posts run at the same time. */

export class Slots {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(count: number) {
    this.free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1
    else await new Promise<void>(resolve => this.waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The slot goes straight to the next in the queue.
      const next = this.waiting.shift()
      if (next) next()
      else this.free += 1
    }
  }
}
