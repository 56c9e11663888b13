/** Prompts for the number of an event while events keep arriving in the background: digits, Enter, Escape. */

const BACKSPACES: ReadonlySet<string> = new Set(['\x7f', '\b'])
const MOST_DIGITS = 9
const CLEAR_LINE = '\r\x1b[2K'

export class NumberPrompt {
  private digits = ''
  private readonly message: string
  private readonly write: (text: string) => void
  private readonly done: (digits: string | null) => void

  /** `done` receives the digits, an empty text for Enter alone, or null for Escape. */
  constructor(message: string, write: (text: string) => void, done: (digits: string | null) => void) {
    this.message = message
    this.write = write
    this.done = done
    this.draw()
  }

  press(key: string): void {
    if (key === '\r' || key === '\n') this.end(this.digits)
    else if (key === '\x1b' || key === 'q') this.end(null)
    else {
      if (BACKSPACES.has(key)) this.digits = this.digits.slice(0, -1)
      else if (/^\d$/.test(key) && this.digits.length < MOST_DIGITS) this.digits += key
      this.draw()
    }
  }

  private draw(): void {
    this.write(`${CLEAR_LINE}${this.message} ${this.digits}`)
  }

  private end(digits: string | null): void {
    this.write(CLEAR_LINE)
    this.done(digits)
  }
}
