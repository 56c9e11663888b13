/** Writes a PDF with headings, facts and tables on as many pages as needed. The same content always results in the same bytes. */
import type { Color, PDFDocument, PDFFont, PDFPage } from '@cantoo/pdf-lib'
import type { EpochMs } from '../../../core/time.ts'
import { pdfText } from './printable.ts'

/** US letter in points, the usual page size of laboratories. */
const PAGE: [number, number] = [612, 792]
const MARGIN = 48
const WIDTH = PAGE[0] - 2 * MARGIN
const FOOTER_Y = 28
const LINE_GAP = 1.35
const BODY_SIZE = 9.5
const HEAD_SIZE = 12
const TITLE_SIZE = 18
const CELL_GAP = 8
const LABEL_WIDTH = 130
const RULE_GAP = 4

export interface PdfColumn<Row> {
  readonly head: string
  /** Column width as a fraction of the page width. */
  readonly share: number
  readonly value: (row: Row) => string
  /** Returns whether to highlight the cell. */
  readonly isStrong?: (row: Row) => boolean
}

/** Begins a document. `at` is the time when its content was created, which becomes the file's date. */
export async function beginPdf(title: string, at: EpochMs): Promise<PdfWriter> {
  const { PDFDocument, StandardFonts, rgb } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  document.setTitle(title)
  document.setLanguage('en-US')
  document.setProducer('svc')
  document.setCreator('svc')
  document.setCreationDate(new Date(at))
  document.setModificationDate(new Date(at))
  const [plain, strong] = await Promise.all([
    document.embedFont(StandardFonts.Helvetica),
    document.embedFont(StandardFonts.HelveticaBold),
  ])
  const writer = new PdfWriter(document, { plain, strong, ink: rgb(0.1, 0.1, 0.1), faint: rgb(0.6, 0.6, 0.6) })
  writer.title(title)
  return writer
}

interface Pens {
  readonly plain: PDFFont
  readonly strong: PDFFont
  readonly ink: Color
  readonly faint: Color
}

export class PdfWriter {
  private readonly document: PDFDocument
  private readonly pens: Pens
  private readonly known: ReadonlySet<number>
  private page: PDFPage
  private y: number

  constructor(document: PDFDocument, pens: Pens) {
    this.document = document
    this.pens = pens
    this.known = new Set(pens.plain.getCharacterSet())
    this.page = document.addPage(PAGE)
    this.y = PAGE[1] - MARGIN
  }

  title(text: string): void {
    this.line([{ text, x: 0, font: this.pens.strong, size: TITLE_SIZE }])
    this.y -= 4
  }

  heading(text: string): void {
    this.room(4 * HEAD_SIZE)
    this.y -= HEAD_SIZE * 0.8
    this.line([{ text, x: 0, font: this.pens.strong, size: HEAD_SIZE }])
    this.rule()
  }

  /** Writes a name and its value, or nothing if the value is unknown. */
  fact(name: string, value: string | null | undefined): void {
    if (!value) return
    const lines = this.wrapped(value, this.pens.plain, WIDTH - LABEL_WIDTH)
    lines.forEach((text, i) => {
      const label = i === 0 ? [{ text: name, x: 0, font: this.pens.strong }] : []
      this.line([...label, { text, x: LABEL_WIDTH, font: this.pens.plain }])
    })
  }

  paragraph(text: string): void {
    for (const line of this.wrapped(text, this.pens.plain, WIDTH))
      this.line([{ text: line, x: 0, font: this.pens.plain }])
  }

  /** Writes a table. Its header row is repeated on every page. */
  table<Row>(columns: readonly PdfColumn<Row>[], rows: readonly Row[]): void {
    const placed = layOutColumns(columns)
    this.y -= RULE_GAP
    this.head(placed)
    for (const row of rows) {
      const cells = placed.map(({ column, x, width }) => {
        const font = column.isStrong?.(row) ? this.pens.strong : this.pens.plain
        return { x, font, lines: this.wrapped(column.value(row), font, width - CELL_GAP) }
      })
      const most = Math.max(...cells.map(cell => cell.lines.length))
      if (this.room(most * BODY_SIZE * LINE_GAP)) this.head(placed)
      for (let n = 0; n < most; n++) {
        this.line(cells.map(({ x, font, lines }) => ({ text: lines[n] ?? '', x, font })))
      }
    }
  }

  /** Returns the file's bytes. Every page has its number and the `footer` text. */
  async finish(footer: string): Promise<Uint8Array> {
    const pages = this.document.getPages()
    pages.forEach((page, i) => {
      const text = pdfText(`${footer}   Page ${i + 1} of ${pages.length}`, this.known)
      page.drawText(text, { x: MARGIN, y: FOOTER_Y, size: 7.5, font: this.pens.plain, color: this.pens.faint })
    })
    return this.document.save()
  }

  private head<Row>(placed: readonly PlacedColumn<Row>[]): void {
    this.line(placed.map(({ column, x }) => ({ text: column.head, x, font: this.pens.strong })))
    this.rule()
  }

  /** Draws a line below the previous text. */
  private rule(): void {
    const y = this.y
    const [start, end] = [
      { x: MARGIN, y },
      { x: MARGIN + WIDTH, y },
    ]
    this.page.drawLine({ start, end, thickness: 0.5, color: this.pens.faint })
    this.y -= RULE_GAP
  }

  /** Writes texts side by side, then moves to the next line. */
  private line(parts: readonly { text: string; x: number; font: PDFFont; size?: number }[]): void {
    const size = Math.max(...parts.map(part => part.size ?? BODY_SIZE))
    this.room(size * LINE_GAP)
    this.y -= size
    for (const { text, x, font, size: own = BODY_SIZE } of parts) {
      const shown = pdfText(text, this.known)
      if (shown !== '') this.page.drawText(shown, { x: MARGIN + x, y: this.y, size: own, font, color: this.pens.ink })
    }
    this.y -= size * (LINE_GAP - 1)
  }

  /** Begins a new page if less than this height is left. Returns whether it did. */
  private room(height: number): boolean {
    if (this.y - height > MARGIN) return false
    this.page = this.document.addPage(PAGE)
    this.y = PAGE[1] - MARGIN
    return true
  }

  /** Breaks text into lines that fit, either between words or inside a word that is longer than a line. */
  private wrapped(text: string, font: PDFFont, width: number): string[] {
    const fits = (line: string): boolean => font.widthOfTextAtSize(line, BODY_SIZE) <= width
    const lines: string[] = []
    let line = ''
    for (const word of pdfText(text, this.known).split(/\s+/)) {
      let rest = word
      if (fits(line === '' ? rest : `${line} ${rest}`)) {
        line = line === '' ? rest : `${line} ${rest}`
        continue
      }
      if (line !== '') lines.push(line)
      while (!fits(rest)) {
        let most = rest.length - 1
        while (most > 1 && !fits(rest.slice(0, most))) most--
        lines.push(rest.slice(0, most))
        rest = rest.slice(most)
      }
      line = rest
    }
    return [...lines, line]
  }
}

interface PlacedColumn<Row> {
  readonly column: PdfColumn<Row>
  readonly x: number
  readonly width: number
}

function layOutColumns<Row>(columns: readonly PdfColumn<Row>[]): PlacedColumn<Row>[] {
  const all = columns.reduce((sum, column) => sum + column.share, 0)
  let x = 0
  return columns.map(column => {
    const position = { column, x, width: (WIDTH * column.share) / all }
    x += position.width
    return position
  })
}
