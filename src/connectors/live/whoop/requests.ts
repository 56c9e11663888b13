/** Reads WHOOP's lists: the parameters for a window, and the pagination. */
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { type JsonObject, objectsIn } from '../../shared/json-fields.ts'
import type { RecordForm } from '../record-view.ts'
import { getAll, getPages, getRecord, type ListForm } from '../requests.ts'

export const WHOOP: RecordForm = {
  provider: 'whoop_v2',
  ignored: new Set([
    ...[
      'id',
      'v1_id',
      'user_id',
      'cycle_id',
      'sleep_id',
      'created_at',
      'updated_at',
      'start',
      'end',
      'timezone_offset',
    ],
    // obsolete: the sport's name is read instead
    'sport_id',
  ]),
  countsNested: true,
}

const LIST: ListForm = { records: 'records', next: { field: 'next_token', parameter: 'nextToken' } }
/** WHOOP's maximum page size. */
const LIMIT = '25'

function during({ from, to }: PullWindow) {
  return { start: new Date(from).toISOString(), end: new Date(to).toISOString(), limit: LIMIT }
}

/** Yields a list's records in the window, newest first, a page at a time. Throws ProviderError. */
export async function* listed(session: TokenSession, path: string, { window }: Pick<PullRequest, 'window'>) {
  for await (const records of getPages(session, LIST, path, during(window))) yield objectsIn(records)
}

/** Returns all of a list's records in a window. Throws ProviderError. */
export async function allIn(session: TokenSession, path: string, window: PullWindow): Promise<readonly JsonObject[]> {
  return objectsIn(await getAll(session, LIST, path, during(window)))
}

/** Returns one of a list's records, or null if WHOOP does not have the record. Throws ProviderError. */
export function findRecord(session: TokenSession, path: string, id: string): Promise<JsonObject | null> {
  return getRecord(session, `${path}/${encodeURIComponent(id)}`)
}
