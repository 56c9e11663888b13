/** Reduces a disagreement until it is small enough to read: removes records and items as long as the disagreement remains. */
import type { PlainData } from './data.ts'
import type { Asked, PlainQuery } from './oracle.ts'

export interface Disagreement {
  readonly data: PlainData
  readonly query: PlainQuery
  readonly asked: Asked
}

/** Returns how engine and oracle disagree; undefined if they agree or the query makes no sense. */
export type Judge = (each: Disagreement) => Promise<string | undefined>

const ATTEMPTS = 400

/** Returns the smallest disagreement found in a few hundred attempts. */
export async function reduced(first: Disagreement, judge: Judge): Promise<Disagreement> {
  let best = first
  let attempts = 0
  const accept = async (next: Disagreement): Promise<boolean> => {
    if (attempts++ >= ATTEMPTS || (await judge(next)) === undefined) return false
    best = next
    return true
  }
  const shorten = async (name: 'samples' | 'summaries' | 'corrections'): Promise<void> => {
    for (
      let size = Math.ceil((best.data[name] ?? []).length / 2);
      size > 0;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let at = 0; at < (best.data[name] ?? []).length; ) {
        const list: readonly unknown[] = best.data[name] ?? []
        const fewer = { ...best.data, [name]: [...list.slice(0, at), ...list.slice(at + size)] }
        if (!(await accept({ ...best, data: fewer }))) at += size
      }
    }
  }
  for (const other of simpler(best)) await accept(other)
  await shorten('samples')
  await shorten('summaries')
  await shorten('corrections')
  for (let last: Disagreement | undefined; last !== best; ) {
    last = best
    for (const other of simpler(best)) if (await accept(other)) break
  }
  return best
}

function* simpler(each: Disagreement): Iterable<Disagreement> {
  const { asked } = each
  for (const query of simplerQueries(each.query)) yield { ...each, query }
  if (asked.team.length > 0) yield { ...each, asked: { ...asked, team: [] } }
  if (asked.overrides.length > 0) yield { ...each, asked: { ...asked, overrides: [] } }
}

function* simplerQueries(query: PlainQuery): Iterable<PlainQuery> {
  const { where: _, ...everywhere } = query
  if (query.where) yield everywhere
  const { align: __, ...unaligned } = query
  if (query.align) yield unaligned
  for (const i of query.select.keys()) yield { ...query, select: query.select.toSpliced(i, 1) }
  for (const i of (query.group_by ?? []).keys()) {
    yield { ...query, group_by: query.group_by?.toSpliced(i, 1) ?? [] }
  }
  if (query.from) for (const inner of simplerQueries(query.from.query)) yield { ...query, from: { query: inner } }
}
