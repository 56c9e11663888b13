/** Imports export files: recognises the format, reads the file as a stream, spools it and merges it as one unit, all or nothing. */
import type { DateOrderChoice, ImportContext } from '../../connectors/files/importer.ts'
import type { Reply, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { ownedId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import { formatInstant } from '../../core/time.ts'
import { nextTurn, Stretch } from '../../core/turns.ts'
import type { ImportPlace, SkippedRecords, WriteReport } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { seal, unseal } from '../sealed-cursor.ts'
import { activeUser } from '../users/users.ts'
import { cancelled, type ReadableImport, withImportFile } from './import-file.ts'
import { ImportIntake } from './import-intake.ts'
import { asRequestError, type ImportOptions, importOptions } from './import-options.ts'
import { connectionsOfData, countsOf } from './ingestion.ts'
import { documentChecker } from './pushed-document.ts'

type Report = ReplyBody<Operations['import.create']>

/** The formats that a mapping can describe. */
const MAPPED_FORMATS: readonly string[] = ['csv', 'ndjson']
/** The formats whose dates can be read in two ways. */
const ORDERED_FORMATS: readonly string[] = ['libreview', ...MAPPED_FORMATS]

interface ImportPlan {
  readonly user: UserRecord
  readonly options: ImportOptions
  /** Null for a dry run. */
  readonly importId: string | null
  readonly keepPartial: boolean
}

export const createImport: Handler<'import.create'> = async (engine, { params, query, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const options = await importOptions(query)
  const began = engine.time.now()
  const importId = query.dry_run ? null : ownedId(user.userId, 'import', randomUuid(engine.random))
  if (importId !== null) call.about('import_id', importId)
  const plan: ImportPlan = { user, options, importId, keepPartial: query.keep_partial }
  const fileOptions = { format: query.format, isMapped: options.mapping !== null, keepPartial: query.keep_partial }
  return withImportFile(engine, call, body, fileOptions, readable =>
    importFile(engine, call, plan, readable, ({ report, records, skipped, dateOrder, partial }) =>
      ok<Report>({
        import_id: importId,
        format: readable.importer.format,
        user_id: user.userId,
        records,
        stored: countsOf(report.stored),
        summaries: countsOf(report.summaries),
        streams: { ...report.streams },
        skipped: skipped.map(each => ({ ...each, places: [...each.places] })),
        date_order: dateOrder && { ...dateOrder },
        dry_run: query.dry_run,
        partial,
        seconds: (engine.time.now() - began) / 1000,
      }),
    ),
  )
}

interface Imported {
  readonly report: WriteReport
  readonly records: number
  readonly skipped: readonly SkippedRecords[]
  readonly dateOrder: DateOrderChoice | null
  readonly partial: { readonly message: string } | null
}

async function importFile(
  engine: EngineContext,
  call: TeamCall,
  plan: ImportPlan,
  readable: ReadableImport,
  reply: (imported: Imported) => Reply<Report>,
): Promise<Reply<Report>> {
  const { user, importId } = plan
  const { format } = readable.importer
  checkFits(format, plan.options)
  const spool = await engine.store.data.openSpool()
  let intake: ImportIntake
  let damage: ServiceError | null
  let providers: readonly string[]
  try {
    intake = new ImportIntake(spool, user)
    damage = await readAll(intake, call, plan, readable)
    await intake.flush()
    intake.checkHasData()
    providers = await spool.providers()
    // an interrupt that arrived during all this takes effect here, because what follows is one step
    await nextTurn()
    if (call.signal?.aborted) throw cancelled()
  } catch (error) {
    await spool.discard()
    throw error
  }
  const { records, skipped, dateOrder } = intake
  const partial = damage && { message: damage.message }
  const phase = importId === null ? 'comparing' : 'storing'
  call.onProgress?.({ phase, doneBytes: 0, totalBytes: 0, records })
  const rest = { records, skipped, dateOrder, partial }
  if (importId === null) return reply({ report: await spool.preview(user.userId), ...rest })
  const context = {
    at: call.now,
    teamId: user.teamId,
    events: { kind: 'daily' as const },
    importing: { importId, format, records, skipped },
    connections: connectionsOfData(user, providers, call.now),
  }
  return call.settle(
    () => spool.merge(user.userId, context),
    report => reply({ report, ...rest }),
  )
}

/**
 * Reads the file to its end. If partial imports are kept, it stops at the damage and returns it; what came before is kept. Throws what the
 * importer throws.
 */
async function readAll(
  intake: ImportIntake,
  call: TeamCall,
  plan: ImportPlan,
  { file, importer, damage }: ReadableImport,
): Promise<ServiceError | null> {
  const stretch = new Stretch()
  try {
    for await (const item of importer.read(file, contextOf(call, plan, file.sizeBytes))) {
      if (stretch.isOver) await stretch.rest()
      if (call.signal?.aborted) throw cancelled()
      await intake.add(item)
    }
    return damage
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file' || intake.taken === 0)
      throw asRequestError(error)
    // if unpacking broke off, that is the damage, and the importer's error only follows from it
    if (plan.keepPartial) return damage ?? error
    if (error.suggestions.some(each => each.includes('--keep-partial'))) throw error
    const hint = '--keep-partial stores everything before the damage.'
    throw new ServiceError(error.code, error.message, { suggestions: [...error.suggestions, hint], cause: error })
  }
}

function contextOf(call: TeamCall, { user, options }: ImportPlan, totalBytes: number): ImportContext {
  const checkDocument = documentChecker(user.userId, call.compatibilityDate)
  return {
    userId: user.userId,
    timeZone: options.timeZone ?? user.fallbackTimeZone?.value ?? null,
    now: call.now,
    signal: call.signal,
    onProgress: (doneBytes, records) => call.onProgress?.({ phase: 'reading', doneBytes, totalBytes, records }),
    provider: options.provider,
    sourceType: options.sourceType,
    dateOrder: options.dateOrder,
    mapping: options.mapping,
    documentProblem: summary => {
      const [issue] = checkDocument(summary)
      // the name of such a field comes from the file, so it is not shown
      if (issue?.type === 'extra_forbidden') return 'is not valid: document has a field that this kind does not have'
      // by field and not by index, because one reason for each place in a list would be too many
      return issue && `is not valid: ${issue.path.slice(0, 2).join(' ')} ${issue.msg}`
    },
  }
}

/** Throws a 422 for options that the format would ignore. */
function checkFits(format: string, { mapping, dateOrder }: ImportOptions): void {
  const refuse = (field: string, msg: string): never => {
    throw invalid([{ loc: ['query', field], msg, type: 'value_error' }])
  }
  if (mapping !== null && !MAPPED_FORMATS.includes(format)) {
    const others = MAPPED_FORMATS.join(' and ')
    refuse('mapping', `${format} describes its own data. Columns, resource and unit are only for ${others}`)
  }
  if (dateOrder !== null && !ORDERED_FORMATS.includes(format)) {
    refuse('date_order', `dates in ${format} are not ambiguous. The order is only for ${ORDERED_FORMATS.join(', ')}`)
  }
}

export const listImports: Handler<'import.list'> = async (engine, { query }, call) => {
  const { teamId } = call.team
  const user = query.user_id === undefined ? null : await activeUser(engine, teamId, query.user_id)
  const walk = ['imports', teamId, user?.userId ?? null]
  const after = query.next_cursor ? placeOf(engine, walk, query.next_cursor) : null
  // one more shows whether there is a next page
  const found = await engine.store.imports.list(teamId, user?.userId ?? null, { limit: query.limit + 1, after })
  const imports = found.slice(0, query.limit)
  const last = found.length > imports.length ? imports.at(-1) : undefined
  return ok({
    next_cursor: last === undefined ? null : seal(engine.masterKey(), walk, stateOf(last)),
    imports: imports.map(each => ({
      import_id: each.importId,
      user_id: each.userId,
      at: formatInstant(each.at),
      format: each.format,
      records: each.records,
      stored: countsOf(each.report.stored),
      summaries: countsOf(each.report.summaries),
      streams: { ...each.report.streams },
      skipped: each.skipped.map(({ reason, count, places }) => ({ reason, count, places: [...places] })),
      undone_at: each.undoneAt === null ? null : formatInstant(each.undoneAt),
    })),
  })
}

const WALK = 'list of imports'
const TIME_BYTES = 8
/** Characters of a UUID. */
const ID_BYTES = 36

/** The state of a cursor: the time and the id of the last import of its page. */
function stateOf({ at, importId }: ImportPlace): Buffer {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeDoubleBE(at)
  return Buffer.concat([time, Buffer.from(importId, 'latin1')])
}

function placeOf(engine: EngineContext, walk: readonly unknown[], cursor: string): ImportPlace {
  const state = unseal(engine.masterKey(), walk, cursor, TIME_BYTES + ID_BYTES, WALK)
  return { at: state.readDoubleBE(), importId: state.toString('latin1', TIME_BYTES) }
}

export const undoImport: Handler<'import.undo'> = async (engine, { params }, call) => {
  const { import_id } = params
  // the id contains the first bytes of its user's id
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
