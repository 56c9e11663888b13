/** The kinds of values that one resource holds and that must not be mixed in one number. See docs/interface/kinds.md. */
import type { TextColumn } from '../core/sample.ts'

/** What happens if functions of a result use several kinds of values: rule kinds-3. */
export const MIXED_KINDS = ['warn', 'split', 'refuse'] as const

/** A kind other than the usual one, and how a sample shows that it has it. */
interface OtherKind {
  readonly name: string
  readonly column: TextColumn
  readonly values: readonly string[]
}

export interface ResourceKinds {
  /** The kind of samples that show no other one. */
  readonly usual: string
  /** The first one that applies counts. */
  readonly others: readonly OtherKind[]
}

/** By name in the REST path. */
const KINDS: Readonly<Record<string, ResourceKinds>> = {
  hrv: { usual: 'rmssd', others: [{ name: 'sdnn', column: 'type', values: ['sdnn'] }] },
  heartrate: { usual: 'point', others: [{ name: 'resting', column: 'type', values: ['resting'] }] },
  body_temperature: {
    usual: 'core',
    others: [
      { name: 'skin', column: 'type', values: ['skin'] },
      { name: 'skin', column: 'sensor_location', values: ['wrist', 'finger'] },
    ],
  },
}

/** Returns the kinds of a resource, or undefined if all of its values may meet. */
export function kindsOf(resource: string): ResourceKinds | undefined {
  return Object.hasOwn(KINDS, resource) ? KINDS[resource] : undefined
}

/** Returns the name of every kind of a resource, the usual one first. */
export function kindNames({ usual, others }: ResourceKinds): readonly string[] {
  return [...new Set([usual, ...others.map(({ name }) => name)])]
}
