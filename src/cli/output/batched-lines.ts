/** Collects the lines of a busy log and writes them once per tick of the event loop, because each write to a pipe or file is expensive. */

export class BatchedLines {
  private waiting: string[] = []
  private readonly write: (text: string) => void

  /** `write` receives lines without the final line feed. */
  constructor(write: (text: string) => void) {
    this.write = write
  }

  add(line: string): void {
    if (this.waiting.push(line) === 1) setImmediate(() => this.flush())
  }

  /** Writes the lines that are waiting. */
  flush(): void {
    const lines = this.waiting
    this.waiting = []
    if (lines.length > 0) this.write(lines.join('\n'))
  }
}
