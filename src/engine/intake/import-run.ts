/** Imports one user's rows: reads the file as a stream, spools it, and defines how it is merged, all or nothing. */
import type { DateOrderChoice, ImportContext } from '../../connectors/files/importer.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { ownedId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import { nextLoopTick, TimeSlice } from '../../core/time-slice.ts'
import type { DataWrite, SkippedRecords, SpooledData, WriteReport } from '../../store/data-write.ts'
import type { ImportSpool } from '../../store/imports/spool.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext, TeamCall } from '../context.ts'
import type { DayRange } from './day-ranges.ts'
import { cancelled, type FileOptions, type ReadableImport } from './import-file.ts'
import { ImportIntake } from './import-intake.ts'
import { asRequestError, type ImportOptions, type ImportQuery, optionsToKeep } from './import-options.ts'
import { connectionsOfData, copyCounts } from './ingestion.ts'
import type { FileFacts } from './kept-file.ts'
import { documentChecker } from './pushed-document.ts'

export type ImportReport = ReplyBody<Operations['import.create']>

/** The formats that a mapping can describe. */
const MAPPED_FORMATS: readonly string[] = ['csv', 'ndjson']
/** The formats that a mapping can describe. */
const ORDERED_FORMATS: readonly string[] = ['libreview', ...MAPPED_FORMATS]

export interface ImportPlan {
  readonly user: UserRecord
  readonly options: ImportOptions
  /** Null for a dry run. */
  readonly importId: string | null
  readonly isDryRun: boolean
  readonly keepPartial: boolean
  /** The engine's time when the import began. */
  readonly began: EpochMs
  /** Whether a file without storable data is allowed, because the file's other users may have data. */
  readonly mayBeEmpty: boolean
  readonly query: ImportQuery
}

/** Returns the plan for importing one user's data. */
export function importPlan(
  engine: EngineContext,
  user: UserRecord,
  options: ImportOptions,
  query: ImportQuery,
): ImportPlan {
  const importId = query.dry_run ? null : ownedId(user.userId, 'import', randomUuid(engine.random))
  const isDryRun = query.dry_run
  return {
    user,
    options,
    importId,
    isDryRun,
    keepPartial: query.keep_partial,
    began: engine.time.now(),
    mayBeEmpty: false,
    query,
  }
}

export function toFileOptions(query: ImportQuery, { mapping }: ImportOptions): FileOptions {
  return { format: query.format, isMapped: mapping !== null, keepPartial: query.keep_partial }
}

/** The part of a file that was read for one user. Its data is in the spool, and must be merged, previewed or discarded. */
export interface GatheredImport {
  readonly spool: ImportSpool
  readonly format: string
  readonly providers: readonly string[]
  readonly records: number
  readonly skipped: readonly SkippedRecords[]
  /** Number of samples outside the limits of their resource, by resource. */
  readonly implausible: ReadonlyMap<string, number>
  readonly dateOrder: DateOrderChoice | null
  readonly partial: { readonly message: string } | null
  /** The first and last date by resource and kind of summary. */
  readonly days: ReadonlyMap<string, DayRange>
  /** How records were read, with their numbers. */
  readonly notices: ReadonlyMap<string, number>
  /** Whether any of the data can be stored. */
  readonly hasData: boolean
}

/**
 * Reads a file for one user. Throws any importer error, and ServiceError `invalid_file` if the file has records but none of them can be
 * stored. After an error, the spool is empty.
 */
export async function gatherImport(
  engine: EngineContext,
  call: TeamCall,
  plan: ImportPlan,
  readable: ReadableImport,
): Promise<GatheredImport> {
  const spool = await engine.store.data.openSpool()
  try {
    return await gatherInto(spool, engine, call, plan, readable)
  } catch (error) {
    await spool.discard()
    throw error
  }
}

/** Reads a file for one user into a spool that may have data of other files. Throws the same errors. */
export async function gatherInto(
  spool: ImportSpool,
  engine: EngineContext,
  call: TeamCall,
  plan: ImportPlan,
  readable: ReadableImport,
): Promise<GatheredImport> {
  const { format } = readable.importer
  checkFits(format, plan.options)
  const intake = new ImportIntake(spool, plan.user)
  const damage = await readAll(engine, intake, call, plan, readable)
  await intake.flush()
  if (!plan.mayBeEmpty) intake.checkHasData()
  const providers = await spool.providers()
  // an interrupt that arrived while reading takes effect here, because the rest is a single step
  await nextLoopTick()
  if (call.signal?.aborted) throw cancelled()
  const { records, skipped, implausible, dateOrder, days, notices, hasData } = intake
  const phase = plan.importId === null ? 'comparing' : 'storing'
  call.onProgress?.({ phase, doneBytes: 0, totalBytes: 0, records })
  const partial = damage && { message: damage.message }
  return { spool, format, providers, records, skipped, implausible, dateOrder, partial, days, notices, hasData }
}

/** Returns the records that an import's merge writes in addition to its data. */
export function describeImportWrite(
  call: TeamCall,
  { user, importId, options, query }: ImportPlan,
  { format, records, skipped, providers }: GatheredImport,
  { sha256, bytes }: FileFacts,
): Omit<DataWrite, keyof SpooledData | 'consumeToken'> {
  return {
    at: call.now,
    teamId: user.teamId,
    events: { kind: 'daily' },
    importing:
      importId === null
        ? null
        : {
            ...{ importId, format, records, skipped, file: { sha256, bytes } },
            options: optionsToKeep(query, format, zoneOf(user, options)),
          },
    connections: connectionsOfData(user, providers, call.now),
  }
}

/** Returns the report on an import or a dry run. */
export function toImportReport(
  engine: EngineContext,
  { user, importId, isDryRun, began }: ImportPlan,
  { format, records, skipped, implausible, dateOrder, partial, days, notices }: GatheredImport,
  report: WriteReport,
  { sha256, bytes, isKept, notKept }: FileFacts,
): ImportReport {
  return {
    import_id: importId,
    format,
    user_id: user.userId,
    records,
    stored: copyCounts(report.stored),
    summaries: copyCounts(report.summaries),
    streams: { ...report.streams },
    skipped: skipped.map(each => ({ ...each, places: [...each.places] })),
    implausible: Object.fromEntries(implausible),
    days: Object.fromEntries(
      [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, range]) => [name, { ...range }]),
    ),
    notices: [...notices].map(([text, count]) => ({ text, count })),
    date_order: dateOrder && { ...dateOrder },
    dry_run: isDryRun,
    partial,
    file: { sha256, bytes, kept: isKept, not_kept: notKept },
    seconds: (engine.time.now() - began) / 1000,
  }
}

/**
 * Reads the whole file. If partial imports are kept, stops at the first damage, returns it and keeps the data before it. Throws any
 * importer error.
 */
async function readAll(
  engine: EngineContext,
  intake: ImportIntake,
  call: TeamCall,
  plan: ImportPlan,
  { file, importer, damage, scratchFile }: ReadableImport,
): Promise<ServiceError | null> {
  const slice = new TimeSlice()
  try {
    for await (const item of importer.read(file, importContext(engine, call, plan, file.sizeBytes, scratchFile))) {
      if (slice.isOver) await slice.rest()
      if (call.signal?.aborted) throw cancelled()
      await intake.add(item)
    }
    return damage
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file' || intake.taken === 0)
      throw asRequestError(error)
    // if unpacking failed, that is the damage, and the importer's error is only a consequence
    if (plan.keepPartial) return damage ?? error
    if (importer.isWhole || error.suggestions.some(each => each.includes('--keep-partial'))) throw error
    const hint = '--keep-partial stores everything before the damage.'
    throw new ServiceError(error.code, error.message, { suggestions: [...error.suggestions, hint], cause: error })
  }
}

function zoneOf(user: UserRecord, { timeZone }: ImportOptions): string | null {
  return timeZone ?? user.fallbackTimeZone?.value ?? null
}

function importContext(
  { providers }: EngineContext,
  call: TeamCall,
  { user, options }: ImportPlan,
  totalBytes: number,
  scratchFile: () => string,
): ImportContext {
  const checkDocument = documentChecker(user.userId, call.compatibilityDate)
  return {
    userId: user.userId,
    providers,
    timeZone: zoneOf(user, options),
    now: call.now,
    signal: call.signal,
    onProgress: (doneBytes, records) => call.onProgress?.({ phase: 'reading', doneBytes, totalBytes, records }),
    provider: options.provider,
    sourceType: options.sourceType,
    dateOrder: options.dateOrder,
    mapping: options.mapping,
    scratchFile,
    documentProblem: summary => {
      const [issue] = checkDocument(summary)
      // this field's name comes from the file, so it is not shown
      if (issue?.type === 'extra_forbidden') return 'is not valid: document has a field that this kind does not have'
      // list reasons by field, not by index, because a separate reason for each list position would be too many
      return issue && `is not valid: ${issue.path.slice(0, 2).join(' ')} ${issue.msg}`
    },
  }
}

/** Throws a 422 for options that the format would ignore. */
export function checkFits(format: string, { mapping, dateOrder }: ImportOptions): void {
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
