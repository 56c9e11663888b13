/** Writes data to stdout and remarks to stderr. Holds both back while a prompt is on the screen. */

export class Board {
  private held: (() => void)[] | undefined
  private readonly out: (text: string) => void
  private readonly aside: (text: string) => void

  /** `out` receives texts with a final line feed; `aside` receives lines without one. */
  constructor(out: (text: string) => void, aside: (text: string) => void) {
    this.out = out
    this.aside = aside
  }

  data(text: string): void {
    this.when(() => this.out(text))
  }

  remark(line: string): void {
    this.when(() => this.aside(line))
  }

  hold(): void {
    this.held ??= []
  }

  release(): void {
    const waiting = this.held ?? []
    this.held = undefined
    for (const write of waiting) write()
  }

  private when(write: () => void): void {
    if (this.held) this.held.push(write)
    else write()
  }
}
