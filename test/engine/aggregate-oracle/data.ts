/** The input of the oracle: a user's data as plain records, and the rows made from them. */

/** A stored sample. If two have the same key (resource, discriminating type, source, start), the later in the list counts. */
export interface PlainSample {
  /** The name in the REST path. */
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

/** A stored summary. If two have the same kind and ID, the later in the list counts. */
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

/** A person's statement about two summaries of one kind. Together they do not contradict each other. */
export interface PlainCorrection {
  readonly kind: string
  readonly ids: readonly [string, string]
  readonly isSame: boolean
  readonly declaredMs: number
}

export interface PlainData {
  /** The user's fallback time zone. */
  readonly zone: string | null
  readonly samples: readonly PlainSample[]
  readonly summaries: readonly PlainSummary[]
  readonly corrections?: readonly PlainCorrection[]
}

/** A number, text or boolean; a time or date in milliseconds of floating time; null. */
export type Value = number | string | boolean | null
export type Kind = 'int' | 'float' | 'text' | 'bool' | 'time' | 'date'

/** A row of a table. */
export interface Row {
  /** The index as a floating time. */
  readonly local: number
  readonly instant: number
  /** The end of a sample; only set in the timeseries table. */
  readonly end?: number
  /** The device of a sample; only set in the timeseries table. */
  readonly device?: string | null
  readonly provider: string
  readonly sourceType: string
  /** The stored summary; not set in the timeseries table. */
  readonly summary?: PlainSummary
  /** The name in the path; only set in the timeseries table. */
  readonly resource: string | null
  readonly type: string | null
  /** Position among the rows of its source that are otherwise equal. */
  /** App, device and marked kind of a sample. */
  readonly origin?: readonly string[]
  readonly stored: number
  readonly cells: ReadonlyMap<string, Value>
  /** List columns; null for a missing list. */
  readonly lists: ReadonlyMap<string, readonly unknown[] | null>
  /** How far the engine's cells may differ; only set for the result of an inner query. */
  readonly slack?: ReadonlyMap<string, number>
}
