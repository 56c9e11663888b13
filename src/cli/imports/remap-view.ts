/** Shows remaps in tables and csv: the changes of a dry run, or the counts of each user and resource. */
import type { ResponseOf } from '../../client/client.ts'
import { formatCount } from '../../core/text.ts'
import { fields, ranked, type View, view } from '../../output/view.ts'

export type RemapReport = ResponseOf<'import.remap'>
type Change = RemapReport['changes'][number]

interface Counted {
  readonly user: string
  readonly resource: string
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly kept: number
  readonly import_id: string | null
}

const NOTHING_KEPT =
  'Nothing is kept that could be read again. `svc engine team set` keeps imported files (--keep-imports), and ' +
  '`svc provider setup` raw responses (--keep-raw).'

/** Returns one row for each changed value. */
export function changesView({ changes, users }: RemapReport): View<Change> {
  return ranked(
    ['day', 'user', 'resource', 'change', 'start', 'field', 'old', 'new', 'unit', 'id', 'provider', 'source_type'],
    view(
      changes,
      {
        day: each => each.day,
        user: each => each.client_user_id,
        ...fields<Change>(
          'resource',
          'change',
          'start',
          'field',
          'old',
          'new',
          'unit',
          'id',
          'provider',
          'source_type',
        ),
      },
      users.length === 0 ? NOTHING_KEPT : 'Nothing would change.',
    ),
  )
}

/** Returns one row for each user and resource. */
export function countsView({ users }: RemapReport): View<Counted> {
  const lines = users.flatMap(({ client_user_id: user, counts, import_id }) =>
    Object.entries(counts).map(([resource, each]): Counted => ({ user, resource, ...each, import_id })),
  )
  const columns = fields<Counted>('user', 'resource', 'added', 'changed', 'removed', 'kept', 'import_id')
  return { ...view(lines, columns, users.length === 0 ? NOTHING_KEPT : 'Nothing changed.'), isOneDocument: true }
}

/** Returns what a person should know besides the table: what was left out, the rest of a dry run, and how to undo. */
export function remapHints(report: RemapReport, isAll: boolean): readonly string[] {
  const { left_out, changes, total, next_cursor, dry_run, users } = report
  const reasons = new Map<string, number>()
  for (const { reason, count } of left_out) reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  const left = [...reasons].map(([reason, count]) => `Left out ${formatCount(count)}: ${reason}.`)
  if (dry_run) {
    const some = isAll || next_cursor === null ? '' : `${formatCount(changes.length)} of `
    const shown = `${some}${formatCount(total)} changed values; dry run, nothing was stored.`
    return [...left, some === '' ? shown : `${shown} More: add --all, --limit, or --cursor ${next_cursor}`]
  }
  const stored = users.flatMap(({ import_id }) => import_id ?? [])
  const [first] = stored
  if (first === undefined) return left
  const rest = stored.length === 1 ? '' : ` (${stored.length} users, each with a separate ID)`
  return [...left, `Undo this: svc import undo ${first}${rest}`]
}
