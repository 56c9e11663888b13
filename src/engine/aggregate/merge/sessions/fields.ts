/** Decides which member of a cluster gives which values. See docs/interface/merging.md#merging-12. */
import type { SummaryTable } from '../../../../catalogue/query/column.ts'
import type { StoredSummary } from '../../../../store/sample.ts'
import type { Cluster, Member } from './clusters.ts'
import type { Session } from './session.ts'

/** Fields of the document that one member gives together. */
export interface FieldGroup {
  readonly name: string
  readonly keys: readonly string[]
}

/** What a table's rows take from which member. */
export interface FieldRules {
  /** Returns whether a session has what its row needs most, such as the stages of a night. A member that has it comes first. */
  readonly isFull: (row: StoredSummary) => boolean
  /** A group without any value is filled from the best other member that has one. */
  readonly groups: readonly FieldGroup[]
}

/** Returns the group of these columns' fields. Without columns, the group is the column of its own name. */
export function fieldGroup(table: SummaryTable, name: string, columns: readonly string[] = [name]): FieldGroup {
  const keys = columns.flatMap(column => {
    const origin = table.columns.find(each => each.name === column)?.origin
    return origin && 'path' in origin ? origin.path.slice(0, 1) : []
  })
  return { name, keys: [...new Set(keys)] }
}

export interface Filled {
  readonly from: Session
  readonly fields: readonly string[]
}

/** The values of a cluster. */
export interface Resolved {
  /** The member whose times and values are used. */
  readonly winner: Session
  readonly document: StoredSummary['document']
  readonly filled: readonly Filled[]
}

/** Returns the values of a cluster: those of the best full member that is long enough. Other members fill the groups that it lacks. */
export function resolve(cluster: Cluster, { isFull, groups }: FieldRules): Resolved {
  if (cluster.length === 1) {
    const [{ session: winner }] = cluster
    return { winner, document: winner.row.document, filled: [] }
  }
  const longest = cluster.reduce((most, { session }) => Math.max(most, session.end - session.start), 0)
  // a fragment does not stand for a whole night
  const able = cluster.filter(({ session }) => (session.end - session.start) * 2 >= longest)
  const { session: winner } = able.find(({ session }) => isFull(session.row)) ?? (able[0] as Member)
  const document: Record<string, unknown> = { ...winner.row.document }
  const filled = new Map<Session, string[]>()
  for (const { name, keys } of groups) {
    if (keys.some(key => hasValue(document[key]))) continue
    const from = cluster.find(({ session }) => keys.some(key => hasValue(session.row.document[key])))
    if (from === undefined) continue
    for (const key of keys) document[key] = from.session.row.document[key]
    filled.set(from.session, [...(filled.get(from.session) ?? []), name])
  }
  return { winner, document, filled: [...filled].map(([from, fields]) => ({ from, fields })) }
}

/** Returns the members' sources, best first, each once: `oura ring, apple_health_kit watch`. */
export function sourceNames(members: readonly Member[]): string {
  return [...new Set(members.map(({ session }) => sourceName(session)))].join(', ')
}

/** Returns what was filled from where: `oura ring: score, skin_temperature`, or null. */
export function filledNames(filled: readonly Filled[]): string | null {
  return filled.length === 0
    ? null
    : filled.map(({ from, fields }) => `${sourceName(from)}: ${fields.join(', ')}`).join('; ')
}

function sourceName({ source }: Session): string {
  return `${source.provider} ${source.sourceType}`
}

function hasValue(value: unknown): boolean {
  if (value === null || value === undefined) return false
  return typeof value === 'object' ? Object.values(value).some(hasValue) : true
}
