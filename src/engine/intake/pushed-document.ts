/** Checks a pushed summary's document against the schema for its kind. */

import type * as z from 'zod'
import { SHIPPED_REGISTRY } from '../../catalogue/providers.ts'
import type { ItemIssue } from '../../connectors/files/items/item.ts'
import { summaryItem } from '../../contract/readings/summary.ts'
import { didYouMean } from '../../core/errors.ts'
import { getOrInsert } from '../../core/maps.ts'
import type { SummaryKind, SummaryRecord } from '../../core/sample.ts'
import type { IsoDate } from '../../core/time.ts'
import { summaryViewer } from '../readings/summary-view.ts'

/** Maximum nesting depth. Real documents are nested far less deeply. */
const MOST_DEPTH = 12
/** Fields that the service fills in itself. */
const OUR_FIELDS: ReadonlySet<string> = new Set(['id', 'user_id', 'source', 'created_at', 'updated_at'])

/** Returns a checker for summary documents. Every value must be valid, but none is required. */
export function documentChecker(userId: string, today: IsoDate): (summary: SummaryRecord) => readonly ItemIssue[] {
  const checks = new Map<SummaryKind, (summary: SummaryRecord) => readonly ItemIssue[]>()
  return summary => {
    const check = getOrInsert(checks, summary.kind, () => compileChecker(summary.kind, userId, today))
    return check(summary)
  }
}

function compileChecker(
  kind: SummaryKind,
  userId: string,
  today: IsoDate,
): (summary: SummaryRecord) => readonly ItemIssue[] {
  const schema = summaryItem(kind)
  // any provider name is valid
  const view = summaryViewer(SHIPPED_REGISTRY, kind, userId, today)
  const allowed = Object.keys(schema.shape).filter(name => !OUR_FIELDS.has(name))
  return summary => {
    if (isDeeperThan(summary.document, MOST_DEPTH)) {
      return [{ path: ['document'], msg: `must not be more than ${MOST_DEPTH} levels deep`, type: 'value_error' }]
    }
    const strange = Object.keys(summary.document).filter(name => !allowed.includes(name))
    if (strange.length > 0) return strange.slice(0, 3).map(name => strangeField(name, allowed))
    const result = schema.safeParse(view({ ...summary, createdAt: summary.at, updatedAt: summary.at }))
    if (result.success) return []
    return result.error.issues.filter(isWrong).map(issue => {
      const { path, ...rest } = schemaIssue(issue)
      // in a meal's `data`, which lists foods by name, the application chooses the names
      return { path: ['document', ...(path[0] === 'data' ? path.slice(0, 1) : path)], ...rest }
    })
  }
}

/** Returns whether a value is wrong. A number with a fraction is not, because it is rounded when stored in an integer field. */
function isWrong(issue: z.core.$ZodIssue): boolean {
  return !(issue.code === 'invalid_type' && issue.expected === 'int')
}

/** Returns an issue reported by a schema, without the invalid value. */
export function schemaIssue({ path, message }: z.core.$ZodIssue): ItemIssue {
  return {
    path: path.map(part => (typeof part === 'number' ? part : String(part))),
    msg: message
      .replace('Invalid input: expected int, received number', 'must be a whole number')
      .replace(/^Invalid input: expected (.*), received .*$/, 'must be of type $1'),
    type: 'value_error',
  }
}

function strangeField(name: string, allowed: readonly string[]): ItemIssue {
  // a longer name could contain a value
  const shown = /^\w{1,40}$/.test(name) ? name : 'a field with this name'
  return { path: ['document'], msg: `does not accept ${shown}.${didYouMean(name, allowed)}`, type: 'extra_forbidden' }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isDeeperThan(inner, levels - 1))
}
