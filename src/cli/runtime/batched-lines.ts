/** Lines of a busy log, written together once a turn of the event loop: a write to a pipe or a file costs more than a line. */

export class BatchedLines {
  private waiting: string[] = []
  private readonly write: (text: string) => void

  /** `write` gets lines without the last line feed. */
  constructor(write: (text: string) => void) {
    this.write = write
  }

  add(line: string): void {
    if (this.waiting.push(line) === 1) setImmediate(() => this.flush())
  }

  /** Writes what waits. */
  flush(): void {
    const lines = this.waiting
    this.waiting = []
    if (lines.length > 0) this.write(lines.join('\n'))
  }
}
