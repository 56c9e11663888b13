/** Converts FHIR observations into samples by LOINC code. Skips other resources and reports their names. */
import {
  LOINC_SYSTEM,
  OBSERVATION_CODES,
  type ObservationTarget,
  PRESSURE_CODES,
} from '../../../catalogue/labs/observation-codes.ts'
import type { EpochMs } from '../../../core/time.ts'
import { asList, asObject, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import type { RecordImport } from '../records/import.ts'
import { OnePerson } from '../records/person.ts'
import { OTHER_HALF, type PressureHalf, PressurePairs } from '../records/pressure-pairs.ts'
import { type FhirSpan, type FhirValue, fhirTime, fhirValue } from './values.ts'

/** An observation or one of its components. Both have codes and a value. */
interface Part {
  readonly codes: readonly string[]
  readonly value: FhirValue
}

const NOT_TRUE = new Set(['entered-in-error', 'cancelled'])
/** Maximum nesting depth of bundles, because a hostile file may nest them endlessly. */
const MOST_NESTED = 4
const WHAT = 'an observation'

export class FhirObservations {
  private readonly importing: RecordImport
  private readonly person = new OnePerson()
  private readonly pressures: PressurePairs<EpochMs, string>

  constructor(importing: RecordImport) {
    this.importing = importing
    this.pressures = new PressurePairs(position => importing.skip('a blood pressure value has no other half', position))
  }

  add(resource: unknown, position: string, depth = 0): void {
    const type = asText(member(resource, 'resourceType'))
    if (type === 'Bundle' && depth < MOST_NESTED) {
      for (const entry of asList(member(resource, 'entry'))) this.add(member(entry, 'resource'), position, depth + 1)
      return
    }
    this.importing.records++
    if (type === 'Observation') this.addObservation(resource as JsonObject, position)
    else
      this.importing.skip(
        type === undefined ? 'an entry contains no resource' : `${quoteType(type)} is not imported`,
        position,
      )
  }

  /** Adds the remaining items. Call this once after the last resource. */
  finish(): void {
    this.pressures.finish()
  }

  private addObservation(observation: JsonObject, position: string): void {
    const { importing } = this
    this.person.see(findSubject(observation), position)
    const status = asText(observation['status'])
    if (status !== undefined && NOT_TRUE.has(status)) {
      importing.skip(`${WHAT} has the status ${status}`, position)
      return
    }
    const whole = readPart(observation)
    const parts = [whole, ...asList(observation['component']).map(readPart)]
    const measured = parts.filter(part => part.codes.some(code => OBSERVATION_CODES.has(code)))
    const pressures = parts.filter(part => part.codes.some(code => PRESSURE_CODES.has(code)))
    if (measured.length === 0 && pressures.length === 0) {
      importing.skip(unknownCode(whole.codes), position)
      return
    }
    const time = fhirTime(observation, this.importing.context.timeZone)
    if (typeof time === 'string') {
      importing.skip(`${WHAT} ${time}`, position)
      return
    }
    const problems = [
      ...measured.map(part => this.addPart(part, time, position)),
      this.addPressure(pressures, time, position),
    ]
    // a record counts as skipped once, and only if no part of it is stored
    if (problems.every(problem => problem !== null))
      importing.skip(`${WHAT} ${problems.find(each => each) ?? ''}`, position)
  }

  /** Stores a part. Returns the problem, or null if the part was stored or the collector skipped it. */
  private addPart({ codes, value }: Part, { start, end }: FhirSpan, position: string): string | null {
    const code = codes.find(each => OBSERVATION_CODES.has(each)) as string
    const { resource, type, text } = OBSERVATION_CODES.get(code) as ObservationTarget
    const number = value.in(resource, type)
    if (typeof number === 'string') return number
    const sample = { resource, type, value: number, start: start.ms, end: end.ms, offset: start.offset, text }
    this.importing.add(sample, `LOINC ${code}`, position)
    return null
  }

  /** Stores a blood pressure reading: both values from one observation, or one value from each of two observations. */
  private addPressure(parts: readonly Part[], { start }: FhirSpan, position: string): string | null {
    if (parts.length === 0) return ''
    const halves = new Map<PressureHalf, number>()
    for (const { codes, value } of parts) {
      const number = value.in('blood_pressure', null)
      if (typeof number === 'string') return number
      const [half] = codes.flatMap(code => PRESSURE_CODES.get(code) ?? [])
      if (half !== undefined) halves.set(half, number)
    }
    const [first] = halves
    const [systolic, diastolic] = [halves.get('systolic'), halves.get('diastolic')]
    const isWhole = systolic !== undefined && diastolic !== undefined
    const reading = isWhole ? { systolic, diastolic } : first && this.pressures.add(...first, start.ms, position)
    // the other half may follow: `finish` counts values without another half
    if (!reading) return null
    const { systolic: value, diastolic: second } = reading
    const sample = { resource: 'blood_pressure', value, second, start: start.ms, offset: start.offset }
    this.importing.add(sample, 'a blood pressure', position)
    if (halves.size === 1) this.importing.skip(OTHER_HALF, position)
    return null
  }
}

function readPart(value: unknown): Part {
  const object = asObject(value) ?? {}
  const codings = asList(member(object['code'], 'coding'))
  const codes = codings.flatMap(coding => {
    const code = asText(member(coding, 'code'))
    return member(coding, 'system') === LOINC_SYSTEM && code !== undefined ? [code] : []
  })
  return { codes, value: fhirValue(object) }
}

/** Returns the reason for skipping an unknown code. It may contain a LOINC code, but nothing else from the file. */
function unknownCode(codes: readonly string[]): string {
  const code = codes.find(each => /^\d{1,7}-\d$/.test(each))
  return code === undefined ? `${WHAT} has no LOINC code` : `LOINC ${code} is not imported`
}

function quoteType(type: string): string {
  return /^[A-Z][A-Za-z]{1,40}$/.test(type) && type !== 'Bundle' ? type : 'a resource of another type'
}

/**
 * Returns an observation's patient without the server's URL, because an absolute and a relative reference refer to the same patient.
 * Bundles identify their entries by `urn:uuid:…`.
 */
function findSubject(observation: JsonObject): string | undefined {
  const reference = asText(member(observation['subject'], 'reference')) ?? ''
  return /(?:^|\/)(Patient\/[^/]+)/.exec(reference)?.[1] ?? /^urn:(?:uuid|oid):.+/i.exec(reference)?.[0].toLowerCase()
}
