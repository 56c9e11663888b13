/** Names of summaries in rows of replaced data. */
import { SUMMARY_KINDS, type SummaryKind } from '../../../core/sample.ts'
import { damaged } from '../rows/damage.ts'
import { IMPORTS_BEFORE, type ImportBeforeRow } from '../rows/tables.ts'

/** Returns the kind and the ID of the summary that a row is about. Throws ServiceError `data_damaged`. */
export function splitItem(row: ImportBeforeRow): [SummaryKind, string] {
  const { item } = row
  const at = item.indexOf('/')
  const kind = SUMMARY_KINDS.find(each => each === item.slice(0, at))
  if (!kind) throw damaged(IMPORTS_BEFORE.damageLocation(row))
  return [kind, item.slice(at + 1)]
}
