/**
 * Rounds numbers that the contract declares as integers. The list of integer fields comes from the schemas. See
 * docs/interface/summaries.md#summaries-8.
 */
import * as z from 'zod'
import { getOrInsert } from '../../core/maps.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { summaryItem } from './summary.ts'

type Document = Readonly<Record<string, unknown>>
type Rounder = (value: unknown) => unknown

/** Returns the nearest whole number; halves are rounded up. -0 becomes 0, and NaN stays. */
export function wholeNumber(value: number): number {
  return Math.round(value) + 0
}

/**
 * Returns a summary's document with whole numbers wherever its schema has an integer; or the same object if they are whole already. A
 * number that is too large for an integer becomes null, or the largest integer if the schema does not allow null.
 */
export function wholeDocument(kind: SummaryKind, document: Document): Document {
  const round = getOrInsert(rounders, kind, () => findRounder(summaryItem(kind)) ?? (value => value))
  return round(document) as Document
}

/** Cached, because building a schema takes longer than rounding a summary. Global, because a schema is a constant. */
const rounders = new Map<SummaryKind, Rounder>()

/** Returns a function that rounds a schema's integers, or null if the schema has none. */
function findRounder(schema: unknown): Rounder | null {
  if (schema instanceof z.ZodNumber) return schema.isInt ? wholeOrMost : null
  if (schema instanceof z.ZodNullable) {
    const rounder = findRounder(schema.unwrap())
    return rounder === wholeOrMost ? wholeOrNull : rounder
  }
  if (schema instanceof z.ZodOptional) return findRounder(schema.unwrap())
  if (schema instanceof z.ZodArray) return listRounder(findRounder(schema.element))
  if (schema instanceof z.ZodObject) return objectRounder(schema.shape)
  return null
}

function wholeOrNull(value: unknown): unknown {
  if (typeof value !== 'number') return value
  const whole = wholeNumber(value)
  return Number.isSafeInteger(whole) ? whole : null
}

function wholeOrMost(value: unknown): unknown {
  if (typeof value !== 'number') return value
  return Math.min(Math.max(wholeNumber(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

function listRounder(item: Rounder | null): Rounder | null {
  return (
    item &&
    (value => {
      if (!Array.isArray(value)) return value
      const rounded = value.map(item)
      return rounded.some((each, i) => each !== value[i]) ? rounded : value
    })
  )
}

function objectRounder(shape: Readonly<Record<string, unknown>>): Rounder | null {
  const fields = Object.entries(shape).flatMap(([name, field]) => {
    const round = findRounder(field)
    return round ? [{ name, round }] : []
  })
  if (fields.length === 0) return null
  return value => {
    if (typeof value !== 'object' || value === null) return value
    let rounded: Record<string, unknown> | undefined
    for (const { name, round } of fields) {
      const before = (value as Document)[name]
      const after = round(before)
      if (after === before) continue
      rounded ??= { ...value }
      rounded[name] = after
    }
    return rounded ?? value
  }
}
