/** Runs `aggregate query --all-users`: queries every user of the team and writes the responses as a dataset. */
import type { ServiceClient } from '../../client/client.ts'
import type { QueryBatchInput } from '../../contract/aggregates/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatCount } from '../../core/text.ts'
import { progressBar } from '../../output/progress.ts'
import type { ResultTable } from '../../table/table.ts'
import type { OnHeaders } from '../output/response-bytes.ts'
import { interruptSignal } from '../runtime/interrupt.ts'
import { BUCKETS, cancelledExport, type SavedDataset, saveDataset } from './dataset.ts'
import { datasetHash } from './dataset-manifest.ts'
import { queryCount } from './query.ts'
import { type Aliases, renamedTable } from './renamed.ts'
import { fetchArchive, readTables } from './tables.ts'
import { warningLines } from './warnings.ts'

export interface DatasetOptions {
  /** The server or data folder. It is part of the dataset's identity, because the same query returns different data elsewhere. */
  readonly origin: string
  /** The new column names. */
  readonly aliases: Aliases | undefined
  readonly quiet: boolean
  readonly hint: (line: string) => void
}

const PAGE_USERS = 500

/** Throws ServiceError `usage` for an invalid query or folder, and any error of `saveDataset`. */
export async function writeDataset(
  client: ServiceClient,
  batch: QueryBatchInput,
  out: string | undefined,
  { origin, aliases, quiet, hint }: DatasetOptions,
): Promise<SavedDataset> {
  if (out === undefined || out === '') {
    throw new ServiceError('usage', '--all-users writes a dataset. Give its folder with -o FOLDER.')
  }
  if (queryCount(batch) !== 1) {
    throw new ServiceError('usage', `A dataset contains the result of one query, but ${queryCount(batch)} were given.`)
  }
  const signal = interruptSignal()
  const users = await allUsers(client, signal)
  const bar = progressBar('Writing', { quiet })
  try {
    let incomplete = 0
    const onHeaders: OnHeaders = headers => {
      if (warningLines(headers, batch.queries, 'file').length > 0) incomplete++
    }
    const readTable = async (userId: string): Promise<ResultTable | undefined> => {
      try {
        const [table] = await readTables(await fetchArchive(client, userId, batch, signal, onHeaders))
        return table && renamedTable(table, aliases)
      } catch (error) {
        if (signal.aborted) throw cancelledExport(error)
        // The user was deleted in the meantime.
        if (error instanceof ServiceError && error.category === 'not_found') return undefined
        throw error
      }
    }
    const query = aliases === undefined ? batch : { ...batch, columns: aliases.map(alias => alias ?? null) }
    const source = { users, query, hash: datasetHash(query, origin), readTable }
    const note = (done: number, total: number) =>
      bar.update(done, total, `${formatCount(done)} of ${formatCount(total)} users`)
    const saved = await saveDataset(out, source, signal, note)
    bar.end()
    if (incomplete > 0) hint(incompleteText(incomplete))
    if (saved.kept_buckets > 0) hint(keptText(saved))
    if (users.length === 0) hint('The team has no users, so the dataset contains no files yet.')
    else if (saved.rows === 0) hint('No user has any rows. The dataset contains one empty file with the columns.')
    return saved
  } finally {
    bar.end()
  }
}

/** Returns a hint that results of some users leave something out. */
function incompleteText(users: number): string {
  const whose = users === 1 ? '1 user' : `${formatCount(users)} users`
  return `The results of ${whose} leave sources or totals out. \`svc aggregate query USER\` with the same query says which.`
}

/** Returns a hint that some data is from an earlier run and may be outdated. */
function keptText({ kept_buckets: kept }: SavedDataset): string {
  const what =
    kept === BUCKETS
      ? 'The dataset was already complete and was'
      : `${kept} of ${BUCKETS} buckets were already finished and were`
  return `${what} kept as written. Use a new folder for current data.`
}

/** Returns the unique IDs of all users. */
async function allUsers(client: ServiceClient, signal: AbortSignal): Promise<readonly string[]> {
  const found = new Set<string>()
  for (let offset = 0; ; offset += PAGE_USERS) {
    const reply = await client.call('user.list', { query: { limit: PAGE_USERS, offset } }, { signal })
    if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response to user.list is not JSON.')
    for (const { user_id } of reply.body.users) found.add(user_id)
    if (reply.body.users.length < PAGE_USERS) return [...found]
  }
}
