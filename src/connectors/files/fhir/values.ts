/** Values and times of FHIR observations (R4: value[x], effective[x]). */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { asNumber, asText, type JsonObject, member } from '../json/fields.ts'
import { type RecordTime, readEnd, readTime } from '../records/time.ts'
import { conversionFor } from '../records/units.ts'

export interface FhirSpan {
  readonly start: RecordTime
  readonly end: RecordTime
}

/** A value before it is known what it is measured in. */
export interface FhirValue {
  /** The number in the unit of the resource, or what is wrong with it, ready to follow the name of the record. */
  in(resource: string, type: string | null): number | string
}

/** The value of an observation or a component. */
export function fhirValue(part: JsonObject): FhirValue {
  return { in: (resource, type) => valueIn(part, resource, type) }
}

function valueIn(part: JsonObject, resource: string, type: string | null): number | string {
  const quantity = part['valueQuantity']
  const whole = part['valueInteger']
  if (quantity === undefined && typeof whole === 'number') {
    // a bare number can only be a number of things
    return resourceNamed(resource)?.unit === 'count' ? whole : 'has a value without a unit'
  }
  if (quantity === undefined) {
    return part['dataAbsentReason'] === undefined ? 'has no value that is a quantity' : 'says that its value is absent'
  }
  if (member(quantity, 'comparator') !== undefined) return 'has a bound in place of a value'
  const value = asNumber(member(quantity, 'value'))
  if (value === undefined) return 'has a value that is not a finite number'
  const units = [asText(member(quantity, 'code')), asText(member(quantity, 'unit'))].filter(unit => unit !== undefined)
  if (units.length === 0) return 'has a value without a unit'
  for (const unit of units) {
    const convert = conversionFor(resource, unit, type)
    if (convert !== null) return convert(value)
  }
  return 'has a unit that is not known for it'
}

/** When an observation holds, or what is wrong with it. A date alone is the midnight that begins it, on the clock of the zone. */
export function fhirTime(observation: JsonObject, zone: string | null): FhirSpan | string {
  const period = observation['effectivePeriod']
  if (period !== undefined) {
    const start = readTime(member(period, 'start'), zone)
    if (start === undefined) return 'has a period without a start that is a time'
    const until = member(period, 'end')
    const end = until === undefined ? start : readEnd(until, zone)
    return end === undefined ? 'has a period with an end that is not a time' : { start, end }
  }
  const text = observation['effectiveDateTime'] ?? observation['effectiveInstant']
  if (text === undefined) return 'has no time at which it holds'
  const time = readTime(text, zone)
  if (time !== undefined) return { start: time, end: time }
  const isPartial = typeof text === 'string' && /^\d{4}(?:-\d{2})?$/.test(text)
  return isPartial ? 'has a time without a day' : 'has a time that cannot be read'
}
