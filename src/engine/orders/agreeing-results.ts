/**
 * Chooses the numbers in a simulated report so that they are consistent: derived results are calculated from the other results' printed
 * values. See docs/lab-orders.md.
 */
import {
  DERIVED_RESULTS,
  type DerivingPatient,
  derivedValue,
  listInputs,
} from '../../catalogue/labs/derived-results.ts'
import { RANGES, type ReferenceRange } from '../../catalogue/labs/reference-ranges.ts'
import type { Interpretation } from '../../contract/orders/order-result.ts'
import { present } from '../../core/present.ts'
import type { Stream } from '../../core/random.ts'
import { type ResultStanding, valueIn } from './report-lines.ts'

/** A number and its standing. */
export interface AgreeingResult {
  readonly value: number
  readonly standing: ResultStanding
}

/** The results that a report must contain. */
export interface WantedReport {
  /** The standing of each result, by LOINC code. A derived result's standing follows from its inputs. */
  readonly standings: ReadonlyMap<string, ResultStanding>
  /** Code of the result that determines the interpretation. */
  readonly finding: string | undefined
  readonly interpretation: Interpretation
  readonly patient: DerivingPatient
}

/**
 * Number of draws in each stage. In the first stage, every derived result except the finding must be normal. If abnormal results are
 * allowed, derived results can be abnormal in the next stage, and their inputs in the last one. About one in five draws in the first stage
 * succeeds.
 */
const DRAWS = { normal: 2_000, derivedAbnormal: 300, inputsAbnormal: 6_000 }

/** Returns the results that depend on each other, by LOINC code. Other results are left out. */
export function agreeingResults(
  wanted: WantedReport,
  streamOf: (group: string) => Stream,
): ReadonlyMap<string, AgreeingResult> {
  const reported = new Set(wanted.standings.keys())
  const agreed = new Map<string, AgreeingResult>()
  for (const codes of relatedGroups(reported)) {
    const drawn = new GroupDraw(wanted, codes, reported, streamOf(present(codes[0], 'a code'))).result()
    for (const [code, result] of drawn) if (reported.has(code)) agreed.set(code, result)
  }
  return agreed
}

/** Returns groups of codes that depend on each other, including hidden inputs. Each code comes after its inputs. */
function relatedGroups(reported: ReadonlySet<string>): readonly (readonly string[])[] {
  const groupOf = new Map<string, Set<string>>()
  const add = (code: string): Set<string> => {
    const known = groupOf.get(code)
    if (known) return known
    let group = new Set<string>()
    const derivation = DERIVED_RESULTS.get(code)
    for (const input of derivation ? listInputs(derivation, reported) : []) {
      const other = add(input)
      if (other === group) continue
      group = new Set([...group, ...other])
      for (const each of group) groupOf.set(each, group)
    }
    group.add(code)
    groupOf.set(code, group)
    return group
  }
  for (const code of reported) add(code)
  const groups = [...new Set([...reported].map(code => present(groupOf.get(code), 'a group')))]
  return groups.filter(group => group.size > 1).map(group => [...group])
}

class GroupDraw {
  private readonly wanted: WantedReport
  private readonly codes: readonly string[]
  private readonly reported: ReadonlySet<string>
  private readonly stream: Stream

  constructor(wanted: WantedReport, codes: readonly string[], reported: ReadonlySet<string>, stream: Stream) {
    this.wanted = wanted
    this.codes = codes
    this.reported = reported
    this.stream = stream
  }

  result(): ReadonlyMap<string, AgreeingResult> {
    const { interpretation } = this.wanted
    const isAffected = interpretation === 'abnormal' || interpretation === 'critical'
    const stages = [
      { draws: DRAWS.normal, isDerivedFree: false, isInputFree: false },
      { draws: isAffected ? DRAWS.derivedAbnormal : 0, isDerivedFree: true, isInputFree: false },
      { draws: isAffected ? DRAWS.inputsAbnormal : 0, isDerivedFree: true, isInputFree: true },
    ]
    // an abnormal input affects the results derived from it
    const hasAbnormalInput = this.codes.some(
      code => !DERIVED_RESULTS.has(code) && (this.wanted.standings.get(code) ?? 'normal') !== 'normal',
    )
    for (const { draws, isDerivedFree, isInputFree } of hasAbnormalInput ? stages.slice(1) : stages) {
      for (let i = 0; i < draws; i++) {
        const drawn = this.draw(isInputFree)
        if (drawn && [...drawn].every(([code, result]) => this.isRight(code, result, isDerivedFree))) return drawn
      }
    }
    throw new Error(`no results agree for ${this.codes.join(', ')}`)
  }

  /** Draws the inputs and derives the other results. Returns null if a derived value is impossible. */
  private draw(isInputFree: boolean): ReadonlyMap<string, AgreeingResult> | null {
    const { standings, finding, patient } = this.wanted
    const drawn = new Map<string, AgreeingResult>()
    const numberOf = (code: string): number => present(drawn.get(code), 'an input').value
    for (const code of this.codes) {
      const range = referenceRange(code)
      const derivation = DERIVED_RESULTS.get(code)
      if (derivation) {
        const value = Number(derivedValue(derivation, numberOf, this.reported, patient).toFixed(range.decimals))
        if (!isPlausible(value, range)) return null
        drawn.set(code, { value, standing: this.standingAt(code, value, range) })
        continue
      }
      const standing = isInputFree
        ? this.stream.pick(this.freeStandings(code, range))
        : (standings.get(code) ?? 'normal')
      const value = valueIn(range, standing, this.stream)
      drawn.set(code, { value, standing: code === finding ? standing : sideAt(value, range) })
    }
    return drawn
  }

  /** Returns the standings from which an input can be drawn. The finding keeps its severity, but may be on the other side of its range. */
  private freeStandings(code: string, range: ReferenceRange): readonly ResultStanding[] {
    const all = possibleStandings(range)
    if (code !== this.wanted.finding) return all
    const isCritical = this.wanted.interpretation === 'critical'
    return all.filter(each => each !== 'normal' && each.startsWith('critical') === isCritical)
  }

  private standingAt(code: string, value: number, range: ReferenceRange): ResultStanding {
    const side = sideAt(value, range)
    const isCritical = code === this.wanted.finding && this.wanted.interpretation === 'critical'
    return isCritical && side !== 'normal' && isFar(value, range) ? `critical_${side}` : side
  }

  private isRight(code: string, { standing }: AgreeingResult, isDerivedFree: boolean): boolean {
    const { finding, interpretation } = this.wanted
    if (code !== finding)
      return isDerivedFree || standing === 'normal' || !DERIVED_RESULTS.has(code) || !this.reported.has(code)
    switch (interpretation) {
      case 'critical':
        return standing.startsWith('critical')
      case 'abnormal':
        return standing !== 'normal'
      default:
        return standing === 'normal'
    }
  }
}

function referenceRange(code: string): ReferenceRange {
  return present(RANGES.get(code), 'the range of a result that others depend on')
}

/** Returns whether a value is plausible, that is, not much further outside its range than drawn results. */
function isPlausible(value: number, { low, high, most = Number.POSITIVE_INFINITY }: ReferenceRange): boolean {
  const bottom = low ?? 0
  const top = high === null ? Number.MAX_VALUE : high + 5 * (high - bottom)
  return value >= bottom * 0.1 && value <= Math.min(top, most)
}

/** Returns whether a value is below, in or above its range. */
function sideAt(value: number, { low, high }: ReferenceRange): 'normal' | 'low' | 'high' {
  if (high !== null && value > high) return 'high'
  return low !== null && value < low ? 'low' : 'normal'
}

/** Returns whether a value is critical, that is, far outside its range. */
function isFar(value: number, { low, high, most = Number.POSITIVE_INFINITY }: ReferenceRange): boolean {
  const bottom = low ?? 0
  if (high === null || value < bottom) return value <= bottom * 0.6
  return value >= high + Math.min(high - bottom, (most - high) / 2)
}

/** Returns the standings that are possible for a result with this range. */
function possibleStandings({ low, high }: ReferenceRange): readonly ResultStanding[] {
  return [
    'normal',
    ...(high === null ? [] : (['high', 'critical_high'] as const)),
    ...(low === null || low === 0 ? [] : (['low', 'critical_low'] as const)),
  ]
}
