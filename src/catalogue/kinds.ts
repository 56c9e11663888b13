/** The kinds of values that one resource holds and that must not be mixed in one number. See docs/interface/kinds.md. */
import type { SampleColumns, TextColumn } from '../core/sample.ts'
import type { SourceType } from './source-types.ts'

/** What happens if functions of a result use several kinds of values: rule kinds-3. */
export const MIXED_KINDS = ['warn', 'split', 'refuse'] as const
export type MixedKinds = (typeof MIXED_KINDS)[number]

export interface Kind {
  readonly name: string
  /** How a value was computed from what was measured. */
  readonly statistic: 'point' | 'mean' | 'lowest' | 'rmssd' | 'sdnn' | 'estimate' | 'measured'
  /** The time that a value is about. */
  readonly window: 'instant' | 'minutes' | 'rest' | 'night' | 'workout'
  /** Where in the body it was measured, if that matters. */
  readonly site: 'core' | 'skin' | null
  readonly meaning: string
}

/** Columns with a value that shows a kind. */
type Marks = Partial<Readonly<Record<TextColumn, readonly string[]>>>

/** A kind other than the usual one, and what shows that a sample has it: any of its marks, its provider or its source type. */
export interface OtherKind extends Kind {
  readonly marks: Marks
  /** Providers whose samples without a mark have this kind. */
  readonly providers: readonly string[]
  readonly sourceTypes: readonly SourceType[]
}

export interface ResourceKinds {
  /** The kind of samples that show no other one. */
  readonly usual: Kind
  /** Marks count before providers and source types. Of several kinds, the first one counts. */
  readonly others: readonly OtherKind[]
}

/** Values of `type` with which connectors mark a sample that stands for a night or a day. */
export const NIGHT_TYPE = 'night'
export const DAILY_TYPE = 'daily'
export const RUN_TYPE = 'run'

/** By name in the REST path. */
export const KINDS: Readonly<Record<string, ResourceKinds>> = {
  hrv: {
    usual: kind('rmssd', 'rmssd', 'minutes', 'RMSSD over a few minutes'),
    others: [
      { ...kind('sdnn', 'sdnn', 'minutes', 'SDNN over a few minutes'), ...shownBy({ type: ['sdnn'] }) },
      {
        ...kind('rmssd_night', 'rmssd', 'night', 'RMSSD over a night or a part of it'),
        ...shownBy({ type: [NIGHT_TYPE, DAILY_TYPE] }, { providers: ['whoop_v2'] }),
      },
    ],
  },
  heartrate: {
    usual: kind('point', 'point', 'instant', 'a reading'),
    others: [{ ...kind('resting', 'lowest', 'rest', 'resting heart rate'), ...shownBy({ type: ['resting'] }) }],
  },
  body_temperature: {
    usual: { ...kind('core', 'point', 'instant', 'temperature of the body'), site: 'core' },
    others: [
      {
        ...kind('skin', 'point', 'instant', 'temperature of the skin'),
        site: 'skin',
        ...shownBy({ type: ['skin'], sensor_location: ['wrist', 'finger'] }),
      },
    ],
  },
  vo2_max: {
    usual: kind('estimate', 'estimate', 'instant', 'an estimate of a device'),
    others: [
      { ...kind('run', 'estimate', 'workout', 'an estimate from a run'), ...shownBy({ type: [RUN_TYPE] }) },
      {
        ...kind('measured', 'measured', 'instant', 'measured in a laboratory'),
        ...shownBy({}, { sourceTypes: ['lab'] }),
      },
    ],
  },
  blood_oxygen: {
    usual: kind('point', 'point', 'instant', 'a reading'),
    others: [
      {
        ...kind('night_mean', 'mean', 'night', 'the mean over a night'),
        ...shownBy({ type: [NIGHT_TYPE, DAILY_TYPE] }, { providers: ['oura', 'whoop_v2'] }),
      },
    ],
  },
}

function kind(name: string, statistic: Kind['statistic'], window: Kind['window'], meaning: string): Kind {
  return { name, statistic, window, site: null, meaning }
}

function shownBy(
  marks: Marks,
  { providers = [], sourceTypes = [] }: Partial<Pick<OtherKind, 'providers' | 'sourceTypes'>> = {},
): Pick<OtherKind, 'marks' | 'providers' | 'sourceTypes'> {
  return { marks, providers, sourceTypes }
}

/** Returns the kinds of a resource, or undefined if all of its values may meet. */
export function kindsOf(resource: string): ResourceKinds | undefined {
  return Object.hasOwn(KINDS, resource) ? KINDS[resource] : undefined
}

/** Returns every kind of a resource, the usual one first. */
export function allKinds({ usual, others }: ResourceKinds): readonly Kind[] {
  return [usual, ...others]
}

/** What shows the kind of a sample. */
export interface KindSigns {
  readonly provider: string
  readonly sourceType: string
  readonly text: Readonly<Partial<Record<TextColumn, string>>>
}

/** Returns the kind of a sample. */
export function kindShown(kinds: ResourceKinds, { provider, sourceType, text }: KindSigns): Kind {
  const marked = kinds.others.find(({ marks }) =>
    Object.entries(marks).some(([column, values]) => values.includes(text[column as TextColumn] ?? '')),
  )
  return marked ?? (allKinds(kinds)[unmarkedKind(kinds, provider, sourceType)] as Kind)
}

/** Returns the kind of samples without a mark, as an index in `allKinds`: 0 for the usual one. */
export function unmarkedKind({ others }: ResourceKinds, provider: string, sourceType: string): number {
  for (let i = 0; i < others.length; i++) {
    const { providers, sourceTypes } = others[i] as OtherKind // unchecked, because this runs for every chunk
    if (providers.includes(provider) || (sourceTypes as readonly string[]).includes(sourceType)) return i + 1
  }
  return 0
}

/**
 * Returns the kind that each row's own fields show, as an index in `allKinds`: 0 if they show none. Null if no row shows one. Indexed reads
 * are unchecked (`as number`), because the loop is hot.
 */
export function markedKinds({ others }: ResourceKinds, { n, text }: SampleColumns): Uint8Array | null {
  if (text.size === 0) return null
  let codes: Uint8Array | null = null
  // from the last one to the first one, which counts
  for (const [i, { marks }] of [...others.entries()].reverse()) {
    for (const [column, values] of Object.entries(marks)) {
      const known = text.get(column as TextColumn)
      const marked = known?.values.map(value => values.includes(value)) ?? []
      if (!known || !marked.includes(true)) continue
      for (let row = 0; row < n; row++) {
        const code = known.codes[row] as number
        if (code === 0 || !marked[code - 1]) continue
        codes ??= new Uint8Array(n)
        codes[row] = i + 1
      }
    }
  }
  return codes
}
