/** Imports a table with several users. Each user's rows become a separate import, which can be undone. */
import type { TablePeople } from '../../connectors/files/importer.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import type { UserRecord } from '../../store/user.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { teamIsFull } from '../users/users.ts'
import { type ReadableImport, withImportFile } from './import-file.ts'
import { nothingStored } from './import-intake.ts'
import { asRequestError, importOptions } from './import-options.ts'
import {
  checkFits,
  describeImportWrite,
  gatherImport,
  type ImportPlan,
  type ImportReport,
  importPlan,
  toFileOptions,
  toImportReport,
} from './import-run.ts'
import { describeFile, type FileFacts } from './kept-file.ts'

type Report = ReplyBody<Operations['imports.create']>

interface Person {
  /** The client user ID as written in the table. */
  readonly name: string
  readonly user: UserRecord
  /** Whether the user does not exist yet. */
  readonly isNew: boolean
}

interface UserImportOutcome {
  readonly report: ImportReport
  readonly hasData: boolean
  readonly isNew: boolean
}

/** Maximum length of a client user ID. */
const MOST_ID_CHARACTERS = 512
/** Maximum number of positions and of imports listed in a message. */
const MOST_EXAMPLES = 3
const MOST_IMPORTS = 20
const NO_WRITES = { stored: {}, summaries: {}, streams: { created: 0, updated: 0, unchanged: 0 } }

export const createPeopleImport: Handler<'imports.create'> = async (engine, { query, body }, call) => {
  const options = await importOptions(engine, query)
  if (options.mapping?.columns.user === undefined) {
    throw refused('the column with the client user IDs must be mapped to user')
  }
  const began = engine.time.now()
  return withImportFile(engine, call, body, toFileOptions(query, options), async readable => {
    const { importer, file } = readable
    checkFits(importer.format, options)
    const { mapping, dateOrder } = options
    // any format that supports a mapping can contain several users
    const table = (await importer.people?.(file, { mapping, dateOrder, signal: call.signal }).catch(error => {
      throw asRequestError(error)
    })) as TablePeople
    const kept = await describeFile(readable.received.path, call, 'data of several users')
    const people = await findUsers(engine, call, table, query.create_users)
    const outcomes: UserImportOutcome[] = []
    for (const person of people) {
      const plan = { ...importPlan(engine, person.user, options, query), mayBeEmpty: true }
      try {
        const theirs = { ...readable, importer: table.importerFor(person.name) }
        outcomes.push(await importOne(engine, call, plan, theirs, person, kept))
      } catch (error) {
        throw afterOthers(error, outcomes, people.length)
      }
    }
    return ok(reportOnAll(table, outcomes, { dry_run: query.dry_run, seconds: (engine.time.now() - began) / 1000 }))
  })
}

/**
 * Returns a table's users. Throws ServiceError 422 for client user IDs that do not exist in the team, unless these users are to be created.
 */
async function findUsers(
  engine: EngineContext,
  call: TeamCall,
  { people, skipped }: TablePeople,
  createsUsers: boolean,
): Promise<readonly Person[]> {
  const { teamId } = call.team
  const found: Person[] = []
  const unknown: string[] = []
  for (const { name, place: position } of people) {
    if (name.length > MOST_ID_CHARACTERS) {
      throw refused(`a client user ID has at most ${MOST_ID_CHARACTERS} characters; the one at ${position} is longer`)
    }
    const user = await engine.store.users.byClientId(teamId, name)
    if (user === null) unknown.push(position)
    found.push({ name, user: user ?? newUser(engine, call, name), isNew: user === null })
  }
  if (found.length === 0 && skipped.length > 0) throw nothingStored(sum(skipped.map(({ count }) => count)), skipped)
  if (unknown.length === 0 || createsUsers) return found
  const examples = `${unknown.slice(0, MOST_EXAMPLES).join(', ')}${unknown.length > MOST_EXAMPLES ? ' …' : ''}`
  throw refused(
    `${unknown.length} of the ${found.length} values in the user column are not client user IDs of this team, first in ` +
      `${examples}. Create these users first, or let the import create them (create_users)`,
    ['Add --create-users to create them, or create each one with `svc user create CLIENT_USER_ID`.'],
  )
}

function newUser(engine: EngineContext, call: TeamCall, clientUserId: string): UserRecord {
  return {
    userId: randomUuid(engine.random) as UserId,
    teamId: call.team.teamId,
    clientUserId,
    createdOn: call.now,
    fallbackTimeZone: null,
    fallbackBirthDate: null,
    ingestionStart: null,
    ingestionEnd: null,
    deletedAt: null,
  }
}

/** Imports one user's rows, or only reads and compares them. No import is created for a user without storable data. */
async function importOne(
  engine: EngineContext,
  call: TeamCall,
  plan: ImportPlan,
  readable: ReadableImport,
  { user, isNew }: Person,
  file: FileFacts,
): Promise<UserImportOutcome> {
  const gathered = await gatherImport(engine, call, plan, readable)
  const { spool, hasData } = gathered
  const outcome = (of: ImportPlan, report: Parameters<typeof toImportReport>[3]): UserImportOutcome => ({
    report: toImportReport(engine, of, gathered, report, file),
    hasData,
    isNew,
  })
  // in a dry run, a user who does not exist yet has no data to compare
  if (!hasData || (plan.isDryRun && isNew)) {
    await spool.discard()
    return outcome({ ...plan, importId: null }, NO_WRITES)
  }
  if (plan.isDryRun) return outcome(plan, await spool.preview(user.userId))
  try {
    if (isNew) await create(engine, user)
  } catch (error) {
    await spool.discard()
    throw error
  }
  return outcome(plan, await spool.merge(user.userId, describeImportWrite(call, plan, gathered, file)))
}

async function create(engine: EngineContext, user: UserRecord): Promise<void> {
  const outcome = await engine.store.users.create(user)
  if (outcome.kind === 'full') throw teamIsFull(outcome.limit)
  if (outcome.kind === 'taken') {
    throw new ServiceError(
      'client_user_id_taken',
      "One of the table's users was created by someone else in the meantime.",
      {
        suggestions: ['Import the file again.'],
      },
    )
  }
}

function reportOnAll(
  { skipped }: TablePeople,
  outcomes: readonly UserImportOutcome[],
  rest: Pick<Report, 'dry_run' | 'seconds'>,
): Report {
  const records = sum(outcomes.map(({ report }) => report.records))
  const unowned = sum(skipped.map(({ count }) => count))
  if (records > 0 && !outcomes.some(({ hasData }) => hasData)) {
    throw nothingStored(records + unowned, [...outcomes.flatMap(({ report }) => report.skipped), ...skipped])
  }
  return {
    users: outcomes.length,
    users_created: outcomes.filter(({ isNew, hasData }) => isNew && hasData).length,
    records: records + unowned,
    skipped: skipped.map(({ reason, count, places: examples }) => ({ reason, count, places: [...examples] })),
    imports: outcomes.filter(({ isNew, hasData }) => !isNew || (hasData && !rest.dry_run)).map(({ report }) => report),
    ...rest,
  }
}

/**
 * Returns the error for one user's import. It lists the imports that were stored before, because each user's import is a separate
 * transaction.
 */
function afterOthers(error: unknown, outcomes: readonly UserImportOutcome[], users: number): unknown {
  const stored = outcomes.flatMap(({ report }) => report.import_id ?? [])
  if (!(error instanceof ServiceError) || stored.length === 0) return error
  const ids = `${stored.slice(0, MOST_IMPORTS).join(', ')}${stored.length > MOST_IMPORTS ? ' …' : ''}`
  return new ServiceError(
    error.code,
    `${error.message} The rows of ${stored.length} of ${users} users were imported before that, as ${ids}.`,
    {
      suggestions: [
        ...error.suggestions,
        'Import the file again to continue, or undo these imports with `svc import undo`.',
      ],
      cause: error,
    },
  )
}

function refused(msg: string, suggestions: readonly string[] = []): ServiceError {
  return invalid([{ loc: ['query', 'mapping'], msg, type: 'value_error' }], 'invalid_request', suggestions)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
