/** Reads values and times in FHIR observations (R4: value[x], effective[x]). */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { asNumber, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import { type RecordTime, readEnd, readTime } from '../../shared/record-time.ts'
import { conversionFor, unsupportedUnit } from '../records/units.ts'

export interface FhirSpan {
  readonly start: RecordTime
  readonly end: RecordTime
}

/** A value whose resource is still unknown. */
export interface FhirValue {
  /** Returns the number in the resource's unit, or a text that describes the problem and follows the record's name. */
  in(resource: string, type: string | null): number | string
}

/** Returns an observation's or component's value. */
export function fhirValue(part: JsonObject): FhirValue {
  return { in: (resource, type) => valueIn(part, resource, type) }
}

function valueIn(part: JsonObject, resource: string, type: string | null): number | string {
  const quantity = part['valueQuantity']
  const whole = part['valueInteger']
  if (quantity === undefined && typeof whole === 'number') {
    // a number without a unit is a count
    return resourceNamed(resource)?.unit === 'count' ? whole : 'has a value without a unit'
  }
  if (quantity === undefined) {
    return part['dataAbsentReason'] === undefined
      ? 'has no value that is a quantity'
      : 'states that its value is absent'
  }
  if (member(quantity, 'comparator') !== undefined) return 'has a bound instead of a value'
  const value = asNumber(member(quantity, 'value'))
  if (value === undefined) return 'has a value that is not a finite number'
  const units = [asText(member(quantity, 'code')), asText(member(quantity, 'unit'))].filter(unit => unit !== undefined)
  if (units.length === 0) return 'has a value without a unit'
  for (const unit of units) {
    const convert = conversionFor(resource, unit, type)
    if (convert !== null) return convert(value)
  }
  return unsupportedUnit(units[0])
}

/** Returns an observation's time, or the problem with it. A date without a time means midnight at the start of that date in `zone`. */
export function fhirTime(observation: JsonObject, zone: string | null): FhirSpan | string {
  const period = observation['effectivePeriod']
  if (period !== undefined) {
    const start = readTime(member(period, 'start'), zone)
    if (start === undefined) return 'has a period without a valid start time'
    const until = member(period, 'end')
    const end = until === undefined ? start : readEnd(until, zone)
    return end === undefined ? 'has a period with an invalid end time' : { start, end }
  }
  const text = observation['effectiveDateTime'] ?? observation['effectiveInstant']
  if (text === undefined) return 'has no effective time'
  const time = readTime(text, zone)
  if (time !== undefined) return { start: time, end: time }
  const isPartial = typeof text === 'string' && /^\d{4}(?:-\d{2})?$/.test(text)
  return isPartial ? 'has a year or a month instead of a day' : 'has a time that cannot be read'
}
