/** Code shared by the readers of Withings' records. */
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import type { Session } from '../../shared/summaries.ts'
import { type FieldRule, mappedValues, numberAt, withTexts } from '../field-table.ts'
import type { LiveSample } from '../page.ts'
import type { RecordView } from '../record-view.ts'

/** A night or a workout and its time. */
export interface WithingsSession extends Session {
  readonly id: string
  readonly row: JsonObject
}

export function readWithingsSession(row: JsonObject | undefined): WithingsSession | undefined {
  const id = withTexts(row, 'id')?.id
  const [start, end] = [numberAt(row, 'startdate'), numberAt(row, 'enddate')]
  if (row === undefined || id === undefined || start === undefined || end === undefined || end < start) return undefined
  return { id, row, start: start * SECOND_MS, end: end * SECOND_MS }
}

/** A target for samples: a record or a page. */
interface Holder {
  readonly samples: { add(sample: LiveSample, kind: string): void }
}

/** Adds the samples that rules read from a record. */
export function addSamples(
  to: Holder,
  rules: readonly FieldRule[],
  from: RecordView,
  common: Omit<LiveSample, 'resource' | 'value'> & { readonly start: EpochMs },
  collection: string,
): void {
  for (const { rule, value } of mappedValues(rules, from)) {
    to.samples.add({ ...common, resource: rule.to, value }, `${collection}.${rule.from}`)
  }
}

/** Returns the parameter that requests these fields. */
export function dataFields(...names: readonly (string | readonly FieldRule[])[]): string {
  return names.flatMap(each => (typeof each === 'string' ? each : each.map(({ from }) => from))).join(',')
}
