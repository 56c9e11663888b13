/** A canvas of dots for a terminal: each character has two columns and four rows of dots. */

const BLANK = 0x2800
/** The bit of each dot in a character, by row and column. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const

export class BrailleCanvas {
  readonly width: number
  readonly height: number
  private readonly columns: number
  private readonly cells: Uint8Array

  /** The size is in characters. */
  constructor(columns: number, rows: number) {
    this.columns = columns
    this.width = columns * 2
    this.height = rows * 4
    this.cells = new Uint8Array(columns * rows)
  }

  /** Draws a dot. Coordinates start at the top left corner. Dots outside the canvas are ignored. */
  dot(x: number, y: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return
    const cell = (y >> 2) * this.columns + (x >> 1)
    this.cells[cell] = (this.cells[cell] ?? 0) | (DOTS[y & 3]?.[x & 1] ?? 0)
  }

  column(x: number, y1: number, y2: number): void {
    for (let y = Math.min(y1, y2); y <= Math.max(y1, y2); y++) this.dot(x, y)
  }

  /** Draws a straight line that includes both ends. */
  line(x1: number, y1: number, x2: number, y2: number): void {
    const steps = Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1), 1)
    for (let i = 0; i <= steps; i++) {
      this.dot(Math.round(x1 + ((x2 - x1) * i) / steps), Math.round(y1 + ((y2 - y1) * i) / steps))
    }
  }

  /** Returns the text of one row of characters, without trailing spaces. */
  row(index: number): string {
    const cells = this.cells.subarray(index * this.columns, (index + 1) * this.columns)
    return Array.from(cells, bits => (bits === 0 ? ' ' : String.fromCharCode(BLANK + bits)))
      .join('')
      .trimEnd()
  }
}
