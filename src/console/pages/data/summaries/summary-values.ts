/** The plain values of a summary, each with the name and unit of its field in /openapi.json. */
import { formatTitle } from '../../../../catalogue/wording.ts'
import { type ApiDocument, loadDocument, type Schema } from '../../../api/api-document.ts'
import { plain, responseSchema } from '../../../api/choices.ts'
import { type Load, useLoader } from '../../../api/use-call.ts'
import { numberText } from '../../../parts/chart/readout.ts'
import type { AnySummary, SummaryKind } from './summaries.ts'

export interface SummaryValue {
  /** Name of the value: "Energy burnt". */
  readonly name: string
  /** Unit; empty if the name includes it, or if there is none. */
  readonly unit: string
  readonly value: string | number | boolean
}

/** Returns the values of a summary by path, such as `heart_rate.avg_bpm`. The value of a list is its length. */
export type ReadValues = (summary: AnySummary) => ReadonlyMap<string, SummaryValue>

/** Loads the schemas for reading the values of one kind of summary. */
export function useReadValues(kind: SummaryKind): Load<ReadValues> {
  return useLoader(`fields of ${kind}`, async () => {
    const from = await loadDocument()
    const response = responseSchema(from, `summary.get.${kind}`)
    // the only key is the list, and a profile is the response itself
    const item = kind === 'profile' ? response : Object.values(plain(from, response)?.properties ?? {})[0]
    return summary => readValues(from, plain(from, item), summary)
  })
}

/** Keys that describe the record, not the person. */
const OMITTED = new Set([
  ...['id', 'user_id', 'source', 'created_at', 'updated_at', 'calendar_date', 'timezone_offset'],
  ...['source_provider', 'source_type', 'source_app_id', 'source_device_id'],
])

function readValues(
  from: ApiDocument,
  item: Schema | undefined,
  summary: AnySummary,
): ReadonlyMap<string, SummaryValue> {
  const values = new Map<string, SummaryValue>()
  const visit = (value: unknown, path: string, schema: Schema | undefined, names: readonly string[], key: string) => {
    // a constant is not useful here, because it is the unit of the value next to it
    if (schema?.deprecated || schema?.const !== undefined) return
    const add = (shown: SummaryValue['value']) => values.set(path, { ...named(schema, names, key), value: shown })
    if (Array.isArray(value)) add(`${value.length} ${value.length === 1 ? 'entry' : 'entries'}`)
    else if (typeof value === 'object' && value !== null) {
      const { properties, additionalProperties: any } = plain(from, schema) ?? {}
      for (const [inner, each] of Object.entries(value)) {
        const own = properties?.[inner]
        if (own) visit(each, `${path}.${inner}`, own, names, inner)
        // an undocumented key is the name of a food or nutrient
        else
          visit(each, `${path}.${inner}`, typeof any === 'object' ? any : undefined, [...names, formatTitle(inner)], '')
      }
    } else if (typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== ''))
      add(value)
  }
  for (const [key, value] of Object.entries(summary))
    if (!OMITTED.has(key)) visit(value, key, item?.properties?.[key], [], key)
  return values
}

/** Returns the name and unit from a description of the form `Meaning, unit; remark`. */
function named(schema: Schema | undefined, names: readonly string[], key: string): Pick<SummaryValue, 'name' | 'unit'> {
  const [meaning = ''] = (schema?.description ?? formatTitle(key)).split(';')
  const unit = /, (\S+)$/.exec(meaning)?.[1] ?? ''
  const own = unit === '' ? meaning : meaning.slice(0, -unit.length - 2)
  return { name: [...names, own].filter(Boolean).join(': '), unit }
}

/** Returns the name with its unit, for a column heading: `Energy burnt, kcal`. */
export function columnHead({ name, unit }: SummaryValue): string {
  return unit === '' ? name : `${name}, ${unit}`
}

/** Returns the value without its unit. */
export function valueText({ value }: SummaryValue): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return typeof value === 'number' ? numberText(value) : value
}
