/** Tables that map a provider's numeric fields. The code uses them to read records, and the docs include them. */
import type { AmountKind } from '../../catalogue/supplied-kinds.ts'
import type { TextColumn } from '../../core/sample.ts'
import { asNumber, type JsonObject, member } from '../shared/json-fields.ts'
import type { MappingRow, RowSigns } from './live-connector.ts'
import { RecordView } from './record-view.ts'

export interface FieldRule {
  /** The provider's field. The parts of a path are joined by dots: `readiness.score`. */
  readonly from: string
  /** The summary field, or the sample's resource as named in REST paths. */
  readonly to: string
  /** Factor by which the value is multiplied. */
  readonly times?: number
  /** Divisor by which the value is divided. */
  readonly per?: number
  /** Number of decimals to keep; if absent, all are kept. */
  readonly digits?: number
  /** Describes the conversion of the value in words. */
  readonly rule?: string
  /** A value with which the provider represents a missing one. */
  readonly none?: number
  /** The samples' `type`. */
  readonly type?: string
  /** `day_total` if the sample is the total of a day. */
  readonly covers?: AmountKind
}

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, part) => member(at, part), value)
}

/** Returns the number at a path, or undefined. */
export function numberAt(value: unknown, path: string): number | undefined {
  const found = asNumber(path.includes('.') ? valueAt(value, path) : member(value, path))
  return found !== undefined && Number.isFinite(found) ? found : undefined
}

/** Returns the result of a rule for a record, or for plain JSON; undefined if the record has no value for the rule. */
export function mappedValue(rule: FieldRule, record: unknown): number | undefined {
  const value = record instanceof RecordView ? record.number(rule.from) : numberAt(record, rule.from)
  return value === undefined || value === rule.none ? undefined : converted(rule, value)
}

export function converted(
  { times = 1, per = 1, digits }: Pick<FieldRule, 'times' | 'per' | 'digits'>,
  value: number,
): number {
  if (times === 1 && per === 1) return value
  if (digits !== undefined) return Number(((value * times) / per).toFixed(digits))
  // twelve digits are more than any device measures, and few enough to hide the errors of binary fractions
  return Number(((value * times) / per).toPrecision(12))
}

/**
 * Returns the fields that the rules read from a record, with null for missing values. If several rules have the same field, the first one
 * with a value is used.
 */
export function filled(rules: readonly FieldRule[], record: unknown): Readonly<Record<string, number | null>> {
  const fields: Record<string, number | null> = {}
  for (const rule of rules) fields[rule.to] ??= mappedValue(rule, record) ?? null
  return fields
}

/** Yields the rules' results for a record, and omits rules for which the record has no value. */
export function* mappedValues(
  rules: readonly FieldRule[],
  record: unknown,
): Generator<{ readonly rule: FieldRule; readonly value: number }> {
  for (const rule of rules) {
    const value = mappedValue(rule, record)
    if (value !== undefined) yield { rule, value }
  }
}

/** Returns whether any of the fields that `filled` returned has a value. */
export function hasValue(fields: Readonly<Record<string, number | null>>): boolean {
  return Object.values(fields).some(value => value !== null)
}

/** Returns a table in the form used in the docs. `kind` is the kind of summary; null if the rules are for samples. */
export function mappingRows(
  collection: string,
  kind: string | null,
  rules: readonly FieldRule[],
): readonly MappingRow[] {
  return rules.map(rule => ({
    from: `${collection}.${rule.from}`,
    to: kind === null ? rule.to : `${kind}.${rule.to}`,
    rule: [rule.rule, arithmetic(rule), rule.none === undefined ? '' : `${rule.none} is omitted`]
      .filter(part => part !== undefined && part !== '')
      .join('; '),
    ...(kind === null && { signs: signsOf(rule) }),
  }))
}

/** Returns what shows the kind of a rule's samples. */
export function signsOf({ type, covers }: Pick<FieldRule, 'type' | 'covers'>): RowSigns {
  return { ...(type !== undefined && { types: [type] }), ...(covers && { covers }) }
}

/** Returns the text columns of a rule's samples. */
export function textOf({ type }: Pick<FieldRule, 'type'>): Readonly<Partial<Record<TextColumn, string>>> {
  return type === undefined ? {} : { type }
}

function arithmetic({ times, per }: FieldRule): string {
  return [times === undefined ? '' : `× ${times}`, per === undefined ? '' : `÷ ${per}`]
    .filter(part => part !== '')
    .join(' ')
}

/** Returns the object if each of these fields is a non-empty text or a number, otherwise undefined. */
export function withTexts<Name extends string>(
  record: JsonObject | undefined,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> | undefined {
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = member(record, name)
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    if (value === '') return undefined
    texts[name] = String(value)
  }
  // all names were set above
  return texts as Record<Name, string>
}

/** Parses text with one row per line, in the form `from | to | rule`. */
export function rows(text: string): readonly MappingRow[] {
  return text
    .trim()
    .split('\n')
    .map(line => {
      const [from = '', to = '', rule = ''] = line.split('|').map(part => part.trim())
      return { from, to, rule }
    })
}
