/** Samples in columns: the form in which an importer passes them to the store, and the store passes them to an aggregate. */
import type { EpochMs, IsoDate } from './time.ts'

/**
 * The fields that all samples of one resource and source share. Together with app, device, kind and time, they are a sample's key. See
 * docs/interface/timeseries.md#timeseries-4. `type` is null, except for resources that have a discriminating type (catalogue:
 * `discriminator`).
 */
export interface SeriesKey {
  /** Name in the REST path: `steps`, `heartrate`, `body_weight` … */
  readonly resource: string
  readonly type: string | null
  /** Provider slug. */
  readonly provider: string
  /** `watch`, `phone`, `ring` … (catalogue/source-types.ts). */
  readonly sourceType: string
}

/** String columns that few samples have; each is stored as a dictionary. */
export const TEXT_COLUMNS = [
  'app_id',
  'device_id',
  'workout_id',
  'sport',
  'type',
  'intensity',
  'sensor_location',
  'delivery_mode',
  'delivery_form',
  'bolus_purpose',
  'tags',
  'content',
] as const
export type TextColumn = (typeof TEXT_COLUMNS)[number]

/** n strings or nulls, stored as a dictionary: code 0 is null, code k is `values[k - 1]`. */
export interface DictColumn {
  readonly values: readonly string[]
  readonly codes: Uint32Array
}

/** Value in `SampleColumns.offset` for a sample whose local time is unknown. */
export const NO_OFFSET = -0x8000_0000

/** n samples of one series. Once stored, they are sorted by start, and no two have the same start. */
export interface SampleColumns {
  readonly n: number
  /** Epoch milliseconds, whole numbers. */
  readonly start: Float64Array
  /** Epoch milliseconds, exclusive; null if every sample ends where it starts. */
  readonly end: Float64Array | null
  /** The value in the resource's unit; systolic for blood_pressure; 0 for note (its text is the `content` column). */
  readonly value: Float64Array
  /** The second value (diastolic), or null. */
  readonly second: Float64Array | null
  /** Offset in seconds east of UTC, or NO_OFFSET; null if it is unknown for every sample. */
  readonly offset: Int32Array | null
  readonly text: ReadonlyMap<TextColumn, DictColumn>
}

/** How samples' columns are packed, for readers that can use the packed form. Each property applies to every row. */
export interface SamplePacking {
  /** Starts are `first + i × step`, in epoch milliseconds. Null if they are irregular. */
  readonly regular: { readonly first: EpochMs; readonly step: number } | null
  /** Values are `(base + code) / scale`. Null if the codes are not whole numbers of one or two bytes. */
  readonly codes: { readonly codes: Uint8Array | Uint16Array; readonly base: number; readonly scale: number } | null
  /** The offset that all rows share (NO_OFFSET if unknown); null if the offsets differ. */
  readonly offset: number | null
  /** The length in milliseconds that all rows share; null if the lengths differ. */
  readonly durationMs: number | null
}

export interface SampleBatch extends SampleColumns {
  readonly series: SeriesKey
}

/** One sample to add to a batch. */
export interface SampleInput {
  readonly start: EpochMs
  /** Defaults to start. */
  readonly end?: EpochMs
  readonly value: number
  readonly second?: number
  /** Offset in seconds east of UTC; absent or null if unknown. */
  readonly offset?: number | null
  readonly text?: Partial<Record<TextColumn, string | null>>
}

/** Initial capacity. It is small, because most of a record's series have one sample, and a page may have thousands of records. */
const FIRST_CAPACITY = 8
const NO_ROWS = new Float64Array(0)
const NO_OFFSETS = new Int32Array(0)

/** Collects samples of one series into columns. `take` returns the columns and empties the builder. */
export class SampleBatchBuilder {
  n = 0
  /** Number of rows to allocate for the next columns, equal to the size of the previous ones. */
  private capacity = FIRST_CAPACITY
  private start = NO_ROWS
  private end = NO_ROWS
  private value = NO_ROWS
  private second: Float64Array<ArrayBuffer> | null = null
  private offset = NO_OFFSETS
  private hasEnd = false
  private hasOffset = false
  private text = new Map<TextColumn, { values: string[]; index: Map<string, number>; codes: Uint32Array }>()
  readonly series: SeriesKey

  constructor(series: SeriesKey) {
    this.series = series
  }

  push(sample: SampleInput): void {
    if (this.n === this.start.length) this.grow()
    const i = this.n++
    const end = sample.end ?? sample.start
    this.start[i] = sample.start
    this.end[i] = end
    if (end !== sample.start) this.hasEnd = true
    this.value[i] = sample.value
    if (sample.second !== undefined) {
      this.second ??= new Float64Array(this.capacity).fill(Number.NaN)
      this.second[i] = sample.second
    }
    const offset = sample.offset ?? NO_OFFSET
    this.offset[i] = offset
    if (offset !== NO_OFFSET) this.hasOffset = true
    if (sample.text) this.pushText(i, sample.text)
  }

  take(): SampleBatch {
    const { n, hasEnd, hasOffset } = this
    // trim the columns, so that a batch that is kept or posted takes little more memory than its rows
    const isTight = n * 2 >= this.capacity
    const rows = (column: Float64Array<ArrayBuffer>) => (isTight ? column.subarray(0, n) : column.slice(0, n))
    const text = new Map<TextColumn, DictColumn>()
    for (const [name, { values, codes }] of this.text) {
      text.set(name, { values, codes: isTight ? codes.subarray(0, n) : codes.slice(0, n) })
    }
    const batch: SampleBatch = {
      series: this.series,
      n,
      start: rows(this.start),
      end: hasEnd ? rows(this.end) : null,
      value: rows(this.value),
      second: this.second && rows(this.second),
      offset: hasOffset ? (isTight ? this.offset.subarray(0, n) : this.offset.slice(0, n)) : null,
      text,
    }
    this.n = 0
    this.start = NO_ROWS
    this.end = NO_ROWS
    this.value = NO_ROWS
    this.second = null
    this.offset = NO_OFFSETS
    this.hasEnd = false
    this.hasOffset = false
    this.text = new Map()
    return batch
  }

  private pushText(i: number, text: NonNullable<SampleInput['text']>): void {
    for (const name in text) {
      const value = text[name as TextColumn]
      if (value === null || value === undefined) continue
      let column = this.text.get(name as TextColumn)
      if (!column) {
        column = { values: [], index: new Map(), codes: new Uint32Array(this.capacity) }
        this.text.set(name as TextColumn, column)
      }
      let code = column.index.get(value)
      if (code === undefined) {
        // pushed text was already checked; damaged text from a file is repaired here, like damaged bytes
        code = column.values.push(value.toWellFormed())
        column.index.set(value, code)
      }
      column.codes[i] = code
    }
  }

  private grow(): void {
    if (this.n > 0) this.capacity *= 2
    const wider = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const to = new Float64Array(this.capacity)
      to.set(from)
      return to
    }
    this.start = wider(this.start)
    this.end = wider(this.end)
    this.value = wider(this.value)
    if (this.second) this.second = wider(this.second).fill(Number.NaN, this.n)
    const offset = new Int32Array(this.capacity)
    offset.set(this.offset)
    this.offset = offset
    for (const column of this.text.values()) {
      const codes = new Uint32Array(this.capacity)
      codes.set(column.codes)
      column.codes = codes
    }
  }
}

/** Returns the string of a dictionary column at a row, or null. */
export function textAt(column: DictColumn | undefined, row: number): string | null {
  if (!column) return null
  // code 0 stands for null
  return column.values[(column.codes[row] ?? 0) - 1] ?? null
}

/** Returns a row's start. Throws an Error for a row that does not exist. */
export function startAt({ start }: Pick<SampleColumns, 'start'>, row: number): EpochMs {
  const at = start[row]
  if (at === undefined) throw new RangeError(`no row ${row}`)
  return at
}

/** The kinds of summaries. */
export const SUMMARY_KINDS = [
  'activity',
  'workouts',
  'sleep',
  'sleep_cycle',
  'body',
  'meal',
  'profile',
  'menstrual_cycle',
  'electrocardiogram',
] as const
export type SummaryKind = (typeof SUMMARY_KINDS)[number]

/** Returns the kind of summary that a word refers to, in any case, singular or plural: `Sleep`, `workout`, `sleep-cycle`. */
export function summaryKindNamed(word: string): SummaryKind | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll('-', '_').replace(/s$/, '')
  return SUMMARY_KINDS.find(kind => plain(kind) === plain(word))
}

/**
 * One summary as passed to the store: a document, which a later document with the same ID replaces as a whole. See
 * docs/interface/summaries.md#summaries-3.
 */
export interface SummaryRecord {
  readonly kind: SummaryKind
  /** ID, derived from the fields by which the summary is recognized when it is sent again; see `ownedId`. */
  readonly id: string
  readonly provider: string
  readonly sourceType: string
  readonly appId: string | null
  readonly deviceId: string | null
  /** Position in time: the session's end for sleep, the session's start for workouts, and midnight UTC of the date for a daily summary. */
  readonly at: EpochMs
  /** The calendar date under which the summary is listed, in the user's local time. */
  readonly date: IsoDate
  /** Offset at `at`, in seconds east of UTC; null if unknown. */
  readonly offset: number | null
  /** The REST document, without id, user_id, source, created_at and updated_at. */
  readonly document: Readonly<Record<string, unknown>>
}
