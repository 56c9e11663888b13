/** Lanes of an import: what is done with the records of one type, looked up once and found again by the bytes of its name. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { SampleBatchBuilder } from '../../../core/sample.ts'
import { decodeXml } from '../xml/attributes.ts'
import { InternedTexts } from '../xml/interned-texts.ts'
import { RECORD_RULES, type RecordRule, type SampleRule } from './types.ts'
import { type Conversion, conversionOf, MM_HG } from './units.ts'

/** The rule of a record type, spread out so that all handlers have one shape, and the batches it fills. */
export interface RecordHandler {
  /** The type identifier, fit for a message. */
  readonly label: string
  /** `nothing`: there is no rule, and its records are skipped for `unused`. */
  readonly reads: RecordRule['reads'] | 'nothing'
  readonly unused: string
  readonly resource: string
  readonly type: string | null
  readonly text: SampleRule['text']
  /** Whether the resource keeps an end; a sample at an instant has none. */
  readonly interval: boolean
  readonly part: 'systolic' | 'diastolic' | null
  readonly units: InternedTexts<Conversion | undefined>
  /** Stages of sleep as they are written; discriminating types by what is written, where the rule lists them. */
  readonly words: InternedTexts<string | undefined>
  /** By source type, and discriminating type where there is one. */
  readonly builders: Map<string, SampleBatchBuilder>
}

/** The handler of a record type as it stands in the file. */
export function handlerOf(rawType: string): RecordHandler {
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
    interval: resourceNamed(resource)?.kind === 'interval',
    part: rule?.reads === 'pressure' ? rule.part : null,
    units: new InternedTexts(unit => conversionOf(unitsOf(rule), decodeXml(unit))),
    words: new InternedTexts(word => wordOf(rule, decodeXml(word))),
    builders: new Map(),
  }
}

function unitsOf(rule: RecordRule | undefined): ReadonlyMap<string, Conversion> {
  if (rule?.reads === 'quantity') return rule.units
  return rule?.reads === 'pressure' ? MM_HG : new Map()
}

function wordOf(rule: RecordRule | undefined, word: string): string | undefined {
  return rule?.reads === 'category' ? rule.categories.get(word) : word
}

/** A type identifier of the file as a reason may name it: only what looks like one of Apple's. */
function typeLabel(type: string): string {
  return /^HK[A-Za-z0-9_]{1,80}$/.test(type) ? type : 'a record type that is not of Apple Health'
}

/** Of records that have no type. */
export const NO_TYPE = handlerOf('')
