/** Writes samples of a slice as JSON: what a row has in common with the one before it is copied, and times are written over it. */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { type DictColumn, NO_OFFSET, type SampleColumns, type SeriesKey, textAt } from '../../core/sample.ts'
import { DAY_MS, formatInstant } from '../../core/time.ts'
import { type JsonBytes, piece, putTime } from './json-bytes.ts'

const TIMESTAMP = ',{"timestamp":"'
const START = '","start":"'
const END = '","end":"'
/** From the begin of an instant to its time of day. */
const DATE_LENGTH = 'YYYY-MM-DDT'.length
const FIRST_TIME = TIMESTAMP.length + DATE_LENGTH
const CLOSE = 0x7d

/** A field of a sample beside its value, each of its words written once. */
interface Field {
  readonly name: string
  readonly column: DictColumn | undefined
  readonly written: Map<number, Uint8Array>
}

export class RowWriter {
  private readonly resource: TimeseriesResource
  private readonly series: SeriesKey
  private readonly columns: SampleColumns
  private readonly types: DictColumn | undefined
  private readonly fields: readonly Field[]
  /** The row at hand up to its value, and what has to be alike for the next one to differ in its times of day alone. */
  private row = new Uint8Array(0)
  private day = Number.NaN
  private endDay = Number.NaN
  private showsMs = false
  private endShowsMs = false
  private east = 0
  private type = 0
  private secondTime = 0
  private endTime = 0

  constructor(resource: TimeseriesResource, series: SeriesKey, columns: SampleColumns) {
    this.resource = resource
    this.series = series
    this.columns = columns
    this.types = series.type === null ? columns.text.get('type') : undefined
    this.fields = resource.fields
      .filter(name => name !== 'type')
      .map(name => ({ name, column: columns.text.get(name), written: new Map() }))
  }

  /** The first row of its group, or one with a comma before it. */
  write(row: number, bytes: JsonBytes, isFirst: boolean): void {
    const { value, second, text } = this.columns
    const { shape } = this.resource
    this.begin(row)
    bytes.put(isFirst ? this.row.subarray(1) : this.row)
    if (shape === 'text') bytes.text(JSON.stringify(textAt(text.get('content'), row) ?? ''))
    else bytes.number(value[row] as number)
    if (shape === 'blood_pressure') {
      bytes.text(',"diastolic":')
      bytes.number(second ? (second[row] as number) : Number.NaN)
    }
    for (const field of this.fields) bytes.put(fieldOf(field, row))
    bytes.byte(CLOSE)
  }

  /** Makes `this.row` that of a row: over what stands there, or anew. */
  private begin(row: number): void {
    const { start, end, offset } = this.columns
    const at = start[row] as number
    const until = end ? (end[row] as number) : at
    const east = offset ? (offset[row] as number) : NO_OFFSET
    const type = this.types ? (this.types.codes[row] as number) : 0
    const day = Math.floor(at / DAY_MS)
    const endDay = until === at ? day : Math.floor(until / DAY_MS)
    const within = (at - day * DAY_MS) | 0
    const endWithin = (until - endDay * DAY_MS) | 0
    const showsMs = within % 1000 !== 0
    const endShowsMs = endWithin % 1000 !== 0
    if (
      day !== this.day ||
      endDay !== this.endDay ||
      showsMs !== this.showsMs ||
      endShowsMs !== this.endShowsMs ||
      east !== this.east ||
      type !== this.type
    ) {
      this.day = day
      this.endDay = endDay
      this.showsMs = showsMs
      this.endShowsMs = endShowsMs
      this.east = east
      this.type = type
      this.renew(row, at, until)
      return
    }
    putTime(this.row, FIRST_TIME, within, showsMs)
    putTime(this.row, this.secondTime, within, showsMs)
    putTime(this.row, this.endTime, endWithin, endShowsMs)
  }

  private renew(row: number, at: number, until: number): void {
    const { shape, unit } = this.resource
    const from = formatInstant(at)
    const zone = this.east === NO_OFFSET ? 'null' : `${this.east}`
    const type = JSON.stringify(this.series.type ?? textAt(this.types, row))
    const head = `${TIMESTAMP}${from}${START}`
    const middle = `${head}${from}${END}`
    const name = shape === 'blood_pressure' ? 'systolic' : 'value'
    const rest = `","timezone_offset":${zone},"type":${type},"unit":${JSON.stringify(unit)},"${name}":`
    this.secondTime = head.length + DATE_LENGTH
    this.endTime = middle.length + DATE_LENGTH
    this.row = Uint8Array.from(piece(`${middle}${formatInstant(until)}${rest}`))
  }
}

/** With its name. */
function fieldOf({ name, column, written }: Field, row: number): Uint8Array {
  const code = column ? (column.codes[row] as number) : 0
  let bytes = written.get(code)
  if (bytes === undefined) {
    const word = textAt(column, row)
    // tags are kept as the JSON of a list
    const shown = name === 'tags' && word !== null ? JSON.parse(word) : word
    bytes = piece(`,${JSON.stringify(name)}:${JSON.stringify(shown)}`)
    written.set(code, bytes)
  }
  return bytes
}
