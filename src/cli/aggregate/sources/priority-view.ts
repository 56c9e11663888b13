/** Parses source priorities from the command line, and shows them. */
import type { ResponseOf } from '../../../client/client.ts'
import { ServiceError } from '../../../core/errors.ts'
import { fields, type View, view } from '../../../output/view.ts'

type Row = ResponseOf<'source_priority.list'>[number]

export function priorityView(rows: readonly Row[]): View<Row> {
  const none = 'No priorities. Sources of the same type are ordered by provider slug.'
  return view(rows, fields<Row>('data_type', 'provider', 'source_type', 'priority'), none)
}

const PAIR = /^([^:=]+)(?::([^:=]+))?=(-?\d{1,15})$/

/** Parses `oura=2` or `garmin:watch=1`. Throws ServiceError `usage` for a wrong format; the service checks the names. */
export function priorityRow(dataType: string, text: string): Row {
  const found = PAIR.exec(text.trim())
  if (!found) {
    const form = 'PROVIDER=NUMBER or PROVIDER:SOURCE_TYPE=NUMBER, as in oura=2 or garmin:watch=1'
    throw new ServiceError('usage', `"${text.slice(0, 80)}" is not a priority. Write ${form}.`)
  }
  const [, provider, sourceType, priority] = found
  return {
    data_type: dataType,
    provider: provider as string,
    source_type: sourceType ?? null,
    priority: Number(priority),
  }
}
