/** The report of `svc engine salvage`, as a document for --json and a table of the data missing from the new folder. */
import type { SalvageReport } from '../../engine/folder.ts'
import { fields, type View, view } from '../../output/view.ts'

export interface SalvageDocument {
  readonly ok: boolean
  readonly to: string
  readonly master_key: boolean
  readonly schema_damaged: boolean
  readonly log_damaged: boolean
  readonly tables: SalvageReport['tables']
  readonly left_out_count: number
  readonly unreadable_pages: number
  readonly left_out: readonly LeftOut[]
  readonly rebuilt: readonly { readonly what: string; readonly count: number }[]
  readonly problems: readonly { readonly what: string; readonly user_id: string | null; readonly message: string }[]
}

interface LeftOut {
  readonly table: string
  readonly user_id: string | null
  readonly place: string
  readonly count: number
  readonly reason: string
}

export function salvageDocument(report: SalvageReport): SalvageDocument {
  const { to, tables, leftOut, unreadablePages, isSchemaDamaged, isLogCut, rebuilt, problems } = report
  return {
    ok: leftOut === 0 && unreadablePages === 0 && rebuilt.size === 0 && problems.length === 0 && !isLogCut,
    to,
    master_key: report.hasKey,
    schema_damaged: isSchemaDamaged,
    log_damaged: isLogCut,
    tables,
    left_out_count: leftOut,
    unreadable_pages: unreadablePages,
    left_out: report.losses.map(({ table, userId, place, count, reason }) => ({
      table,
      user_id: userId,
      place,
      count,
      reason,
    })),
    rebuilt: [...rebuilt].map(([what, count]) => ({ what, count })),
    problems: problems.map(({ what, userId, message }) => ({ what, user_id: userId, message })),
  }
}

/** Returns one row for each location, and one row for each table with unreadable pages. */
export function salvageView({
  left_out: leftOut,
  tables,
  rebuilt,
  log_damaged: isLogCut,
}: SalvageDocument): View<LeftOut> {
  const pages = tables.filter(each => each.unreadable_pages > 0)
  const rows: LeftOut[] = [
    ...leftOut,
    ...pages.map(({ table, unreadable_pages: count }) => {
      const reason = 'unreadable; rows that are still in an index are listed'
      return { table, user_id: null, place: 'pages of the file', count, reason }
    }),
    ...rebuilt.map(({ what, count }) => {
      return { table: what, user_id: null, place: 'created anew', count, reason: 'the original is lost' }
    }),
    ...(isLogCut
      ? [
          {
            table: 'log',
            user_id: null,
            place: 'the newest changes',
            count: 1,
            reason: 'the log is damaged before them',
          },
        ]
      : []),
  ]
  return view(rows, fields<LeftOut>('table', 'user_id', 'place', 'count', 'reason'), 'Everything was copied.')
}
