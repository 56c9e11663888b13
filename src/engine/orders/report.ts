/**
 * Generates a simulated laboratory's report: the results, their standings, and the missing results. See docs/interface/orders.md#orders-9.
 */
import type { DerivingPatient } from '../../catalogue/labs/derived-results.ts'
import type { Marker } from '../../catalogue/labs/markers.ts'
import {
  FAILURE_TYPES,
  type Interpretation,
  type OrderResult,
  type ResultLine,
  type ResultType,
} from '../../contract/orders/order-result.ts'
import { present } from '../../core/present.ts'
import { Stream } from '../../core/random.ts'
import { DAY_MS, type EpochMs, formatDate } from '../../core/time.ts'
import type { OrderRecord } from '../../store/order.ts'
import { agreeingResults } from './agreeing-results.ts'
import { ageAt } from './patient.ts'
import { chooseResultType, type ExpectedLine, measured, possibleStanding } from './report-lines.ts'
import { collectedAt, firstIn } from './state.ts'
import { orderPeople } from './view.ts'

type MissingView = OrderResult['missing_results'][number]

/** The stored part of a report: everything except the patient. */
export interface Report {
  readonly status: 'final' | 'partial'
  readonly interpretation: Interpretation
  readonly collectedAt: EpochMs
  readonly receivedAt: EpochMs
  readonly reportedAt: EpochMs
  /** The lines, without each measurement's time, laboratory and sample. */
  readonly lines: readonly Omit<ResultLine, 'timestamp' | 'performing_laboratory' | 'source_sample_id'>[]
  readonly missing: readonly MissingView[]
}

/** Simulation options for the lab's report. */
export interface ReportFlags {
  readonly interpretation?: Interpretation | null | undefined
  readonly result_types?: readonly ResultType[] | null | undefined
  readonly has_missing_results?: boolean | null | undefined
}

/** Probability that another result, besides the required one, is outside its range. */
const FURTHER_FINDINGS = 0.15
/** Probability that a report contains an optional result. */
const OPTIONAL_SHARE = 0.7

/**
 * Returns the report, which is always the same for the same seed, order and kind of report. `low` is the low-level status that the order
 * has reached.
 */
export function reportOn(
  record: OrderRecord,
  markers: readonly Marker[],
  {
    seed,
    flags,
    low,
    at,
  }: { readonly seed: string; readonly flags: ReportFlags; readonly low: string; readonly at: EpochMs },
): Report {
  const path = ['lab report', seed, record.orderId] as const
  const chance = new Stream(...path)
  const interpretation = flags.interpretation ?? 'normal'
  const all = expectedLines(markers).filter(line => line.expected.required || chance.next() < OPTIONAL_SHARE)
  const unmeasured = flags.has_missing_results ? chance.whole(0, all.length - 1) : -1
  const measurable = all.filter((_, i) => i !== unmeasured)
  // a partial report contains the first half, which already includes the result that determines the interpretation
  const half = Math.max(1, Math.ceil(measurable.length / 2))
  const finding = chance.whole(0, half - 1)
  const types = flags.result_types?.length ? flags.result_types : undefined
  // no time is later than the report, even if the clock has been set back
  const before = (time: EpochMs): EpochMs => Math.min(time, at)
  const known = collectedAt(record)
  // without earlier states, assume that the lab received the sample a day before the report, but not before the order
  const collected = known !== null && known < at ? known : before(Math.max(record.createdAt, at - DAY_MS))
  const streamOf = (code: string): Stream => new Stream(...path, code, low === 'corrected' ? 'corrected' : 'first')
  const streams = measurable.map(line => streamOf(line.expected.loinc.code))
  const standings = measurable.map((line, i) => {
    const own = present(streams[i], 'the stream of a line')
    const wanted = i === finding ? severity(interpretation) : furtherSeverity(interpretation, own)
    return possibleStanding(line.expected, wanted, own)
  })
  const agreed = agreeingResults(
    {
      // missing results were also measured if other results depend on them
      standings: new Map(all.map(line => [lineCode(line), standings[measurable.indexOf(line)] ?? 'normal'])),
      finding: measurable[finding] && lineCode(measurable[finding]),
      interpretation,
      patient: derivingPatient(record, collected),
    },
    code => streamOf(`agreeing ${code}`),
  )
  const lines = measurable.map((line, i) => {
    const result = agreed.get(lineCode(line))
    const measurement = {
      type: chooseResultType(line.expected, types?.[i % types.length]),
      standing: result?.standing ?? present(standings[i], 'the standing of a line'),
      known: result?.value,
      isKnown: interpretation !== 'unknown',
    }
    return { ...named(line), ...measured(line.expected, measurement, present(streams[i], 'the stream of a line')) }
  })
  const isPartial = low === 'partial_results'
  return {
    status: isPartial ? 'partial' : 'final',
    interpretation,
    collectedAt: collected,
    receivedAt: before(firstIn(record, ['delivered_to_lab']) ?? collected),
    reportedAt: at,
    lines: isPartial ? lines.slice(0, half) : lines,
    missing: all.filter((_, i) => i === unmeasured && !isPartial).map(line => missing(line, chance)),
  }
}

function lineCode({ expected }: ExpectedLine): string {
  return expected.loinc.code
}

function derivingPatient(record: OrderRecord, at: EpochMs): DerivingPatient {
  const { patient } = orderPeople(record)
  return { ageYears: ageAt(patient.dob, formatDate(at)), isFemale: patient.gender === 'female' }
}

/** Returns every expected result once, in marker order, with all markers that include it. */
function expectedLines(markers: readonly Marker[]): ExpectedLine[] {
  const lines = new Map<number, ExpectedLine>()
  for (const marker of markers) {
    for (const expected of marker.expected_results) {
      const known = lines.get(expected.id)
      lines.set(expected.id, {
        expected: known && !expected.required ? known.expected : expected,
        markers: [...(known?.markers ?? []), marker],
      })
    }
  }
  return [...lines.values()]
}

/** Returns a line's content for the expected result. */
function named({ expected, markers }: ExpectedLine) {
  return {
    name: expected.name,
    slug: expected.slug,
    loinc: expected.loinc.code,
    loinc_slug: expected.loinc.slug,
    provider_id: expected.provider_id,
    source_markers: markers.map(({ id, name, slug, provider_id }) => ({ marker_id: id, name, slug, provider_id })),
  }
}

function missing(line: ExpectedLine, chance: Stream): MissingView {
  const type = chance.pick(FAILURE_TYPES)
  return { ...named(line), inferred_failure_type: type, note: null }
}

function severity(interpretation: Interpretation): 'normal' | 'abnormal' | 'critical' {
  return interpretation === 'unknown' ? 'normal' : interpretation
}

function furtherSeverity(interpretation: Interpretation, own: Stream): 'normal' | 'abnormal' {
  const isAffected = interpretation === 'abnormal' || interpretation === 'critical'
  return isAffected && own.next() < FURTHER_FINDINGS ? 'abnormal' : 'normal'
}
