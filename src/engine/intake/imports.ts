/** Creates, lists and undoes imports. */
import type { Reply, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import type { ImportPosition, RemapSource } from '../../store/data-write.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { seal, unseal } from '../sealed-cursor.ts'
import { activeUser } from '../users/users.ts'
import { type ReadableImport, withImportFile } from './import-file.ts'
import { importOptions } from './import-options.ts'
import {
  describeImportWrite,
  gatherImport,
  type ImportPlan,
  type ImportReport,
  importPlan,
  toFileOptions,
  toImportReport,
} from './import-run.ts'
import { copyCounts } from './ingestion.ts'
import { describeFile, forgetFile, keepFile } from './kept-file.ts'

type ListedImport = ReplyBody<Operations['import.list']>['imports'][number]

export const createImport: Handler<'import.create'> = async (engine, { params, query, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const options = await importOptions(engine, query)
  if (options.mapping?.columns.user !== undefined) throw oneUser()
  const plan = importPlan(engine, user, options, query)
  if (plan.importId !== null) call.about('import_id', plan.importId)
  return withImportFile(engine, call, body, toFileOptions(query, options), readable =>
    storeOne(engine, call, plan, readable),
  )
}

async function storeOne(
  engine: EngineContext,
  call: TeamCall,
  plan: ImportPlan,
  readable: ReadableImport,
): Promise<Reply<ImportReport>> {
  const { importId, user } = plan
  const { userId } = user
  const gathered = await gatherImport(engine, call, plan, readable)
  const { spool } = gathered
  const { path, sizeBytes } = readable.received
  try {
    if (importId === null) {
      const file = await describeFile(path, call)
      return ok(toImportReport(engine, plan, gathered, await spool.preview(userId), file))
    }
    const file = await keepFile(engine, call, { userId, importId, path, sizeBytes })
    return await call.settle(
      () => spool.merge(userId, describeImportWrite(call, plan, gathered, file)),
      report => ok(toImportReport(engine, plan, gathered, report, file)),
    )
  } catch (error) {
    await spool.discard()
    if (importId !== null) await forgetFile(engine, userId, importId)
    throw error
  }
}

function oneUser(): ServiceError {
  const msg =
    'user cannot be mapped in an import for one user. Select the rows of that user (where), or import the rows of every ' +
    'user with POST /svc/v1/imports'
  return invalid([{ loc: ['query', 'mapping'], msg, type: 'value_error' }])
}

export const listImports: Handler<'import.list'> = async (engine, { query }, call) => {
  const { teamId } = call.team
  const user = query.user_id === undefined ? null : await activeUser(engine, teamId, query.user_id)
  const pagination = ['imports', teamId, user?.userId ?? null]
  const after = query.next_cursor ? decodeCursor(engine, pagination, query.next_cursor) : null
  // read one more item to find out whether there is a next page
  const found = await engine.store.imports.list(teamId, user?.userId ?? null, { limit: query.limit + 1, after })
  const imports = found.slice(0, query.limit)
  const last = found.length > imports.length ? imports.at(-1) : undefined
  return ok({
    next_cursor: last === undefined ? null : seal(engine.masterKey(), pagination, encodeCursor(last)),
    imports: imports.map(each => ({
      import_id: each.importId,
      user_id: each.userId,
      client_user_id: each.clientUserId,
      at: formatInstant(each.at),
      format: each.format,
      records: each.records,
      stored: copyCounts(each.report.stored),
      summaries: copyCounts(each.report.summaries),
      streams: { ...each.report.streams },
      skipped: each.skipped.map(({ reason, count, places }) => ({ reason, count, places: [...places] })),
      file: each.file ? { ...each.file, kept: each.isKept } : null,
      remap: remapView(each.remap),
      undone_at: each.undoneAt === null ? null : formatInstant(each.undoneAt),
    })),
  })
}

function remapView(source: RemapSource | undefined): ListedImport['remap'] {
  if (source === undefined) return null
  return source.kind === 'imports'
    ? { import_ids: [...source.importIds], provider: null }
    : { import_ids: [], provider: source.provider }
}

const PAGINATION = 'list of imports'
const TIME_BYTES = 8
/** Number of characters in a UUID. */
const ID_BYTES = 36

/** Returns a cursor's state: the time and ID of the last import on the page. */
function encodeCursor({ at, importId }: ImportPosition): Buffer {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeDoubleBE(at)
  return Buffer.concat([time, Buffer.from(importId, 'latin1')])
}

function decodeCursor(engine: EngineContext, pagination: readonly unknown[], cursor: string): ImportPosition {
  const state = unseal(engine.masterKey(), pagination, cursor, TIME_BYTES + ID_BYTES, PAGINATION)
  return { at: state.readDoubleBE(), importId: state.toString('latin1', TIME_BYTES) }
}

export const undoImport: Handler<'import.undo'> = async (engine, { params }, call) => {
  const { import_id } = params
  // the ID contains the first bytes of its user's ID
  for (const { userId } of await engine.store.users.ofOwnedId(call.team.teamId, import_id)) {
    const outcome = await engine.store.imports.undo(userId, import_id, call.now)
    if (outcome.kind === 'undone_before') {
      throw new ServiceError('conflict', `The import was already undone at ${formatInstant(outcome.at)}.`, {
        suggestions: ['Import the file again to bring its data back.'],
      })
    }
    if (outcome.kind === 'undone') {
      const { removed, restored, kept } = outcome.report
      return ok({ import_id, removed: { ...removed }, restored: { ...restored }, kept: { ...kept } })
    }
  }
  throw new ServiceError('not_found', 'There is no import with this id.', {
    suggestions: ['`svc import list` shows the imports.'],
  })
}
