/**
 * Handlers of record types: how an import processes the records of one type. A handler is created once, and then looked up by the bytes of
 * the type's name.
 */
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { SampleBatchBuilder } from '../../../core/sample.ts'
import { decodeXml } from '../xml/attributes.ts'
import { InternedTexts } from '../xml/interned-texts.ts'
import type { CycleRule } from './cycle-types.ts'
import { NUTRIENT_OF, RECORD_RULES, type RecordRule, type SampleRule } from './types.ts'
import { type Conversion, findConversion, MM_HG } from './units.ts'

/** A record type's rule, flattened so that all handlers have the same shape, and the batches that the handler fills. */
export interface RecordHandler {
  /** The type identifier, in a form that is safe to show in a message. */
  readonly label: string
  /** `nothing` if the type has no rule. Its records are then skipped for the reason in `unused`. */
  readonly reads: RecordRule['reads'] | 'nothing'
  readonly unused: string
  readonly resource: string
  readonly type: string | null
  readonly text: SampleRule['text']
  /** Whether the values also go into the summaries of nights. */
  readonly isVariability: boolean
  /** The index of the nutrient, or -1. */
  readonly nutrient: number
  /** Null if the records are not about a menstrual cycle. */
  readonly cycle: CycleRule | null
  /** Whether the values also go into a list of a menstrual cycle. */
  readonly isBasalTemperature: boolean
  /** Whether the resource's samples cover an interval. A sample at one instant has no end. */
  readonly interval: boolean
  readonly part: 'systolic' | 'diastolic' | null
  readonly units: InternedTexts<Conversion | undefined>
  /** Sleep stages as written in the file; for a rule that lists categories, the discriminating type of each category. */
  readonly words: InternedTexts<string | undefined>
  /** Batches by source type, followed by the discriminating type if there is one. */
  readonly builders: Map<string, SampleBatchBuilder>
}

/** Returns the handler for a record type as written in the file. */
export function createHandler(rawType: string): RecordHandler {
  const type = decodeXml(rawType)
  const label = typeLabel(type)
  const rule = RECORD_RULES.get(type)
  const sample = rule !== undefined && 'resource' in rule ? rule : undefined
  const resource = sample?.resource ?? (rule?.reads === 'pressure' ? 'blood_pressure' : '')
  return {
    label,
    reads: rule?.reads ?? 'nothing',
    unused: `${label} is not imported`,
    resource,
    type: sample?.type ?? null,
    text: sample?.text,
    isVariability: resource === 'hrv',
    nutrient: NUTRIENT_OF.get(type) ?? -1,
    cycle: rule?.reads === 'cycle' ? rule.cycle : null,
    isBasalTemperature: resource === 'basal_body_temperature',
    interval: resourceNamed(resource)?.kind === 'interval',
    part: rule?.reads === 'pressure' ? rule.part : null,
    units: new InternedTexts(unit => findConversion(ruleUnits(rule), decodeXml(unit))),
    words: new InternedTexts(word => translateWord(rule, decodeXml(word))),
    builders: new Map(),
  }
}

function ruleUnits(rule: RecordRule | undefined): ReadonlyMap<string, Conversion> {
  if (rule?.reads === 'pressure') return MM_HG
  return rule !== undefined && 'units' in rule ? rule.units : new Map()
}

function translateWord(rule: RecordRule | undefined, word: string): string | undefined {
  if (rule?.reads === 'cycle') return rule.cycle.categories?.get(word)
  return rule?.reads === 'category' ? rule.categories.get(word) : word
}

/** Returns a type identifier from the file for use in a reason, but only if it looks like an Apple identifier. */
function typeLabel(type: string): string {
  return /^HK[A-Za-z0-9_]{1,80}$/.test(type) ? type : 'a record type that is not from Apple Health'
}

/** The handler for records without a type. */
export const NO_TYPE = createHandler('')
