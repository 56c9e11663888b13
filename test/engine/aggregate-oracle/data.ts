/** What the oracle is given: a user's data as plain records, and the rows it makes of them. */

/** A stored sample; of two with the same key (resource, discriminating type, source, start) the later in the list counts. */
export interface PlainSample {
  /** Name of the REST path. */
  readonly resource: string
  readonly provider: string
  readonly sourceType: string
  readonly type: string | null
  readonly startMs: number
  readonly endMs: number
  readonly value: number
  readonly second: number | null
  readonly offsetSec: number | null
  readonly text: Readonly<Record<string, string>>
}

/** A stored summary; of two with the same kind and id the later in the list counts. */
export interface PlainSummary {
  readonly kind: string
  readonly id: string
  readonly provider: string
  readonly sourceType: string
  readonly appId: string | null
  readonly deviceId: string | null
  readonly atMs: number
  readonly date: string
  readonly offsetSec: number | null
  readonly createdMs: number
  readonly updatedMs: number
  readonly document: Readonly<Record<string, unknown>>
}

export interface PlainData {
  /** The user's fallback zone. */
  readonly zone: string | null
  readonly samples: readonly PlainSample[]
  readonly summaries: readonly PlainSummary[]
}

/** A number, text or truth; a time or date in milliseconds of floating time; null. */
export type Value = number | string | boolean | null
export type Kind = 'int' | 'float' | 'text' | 'bool' | 'time' | 'date'

/** A row of a table. */
export interface Row {
  /** The index, floating. */
  readonly local: number
  readonly instant: number
  readonly provider: string
  readonly sourceType: string
  /** Path name; set in the timeseries table alone. */
  readonly resource: string | null
  readonly type: string | null
  /** Place among the rows of its source that are equal in everything else. */
  readonly stored: number
  readonly cells: ReadonlyMap<string, Value>
  /** List columns; a list that is not there is null. */
  readonly lists: ReadonlyMap<string, readonly unknown[] | null>
}
