/** Reads kept import files again with today's importers. */
import type { ImportRecord } from '../../../store/data-write.ts'
import type { ImportSpool } from '../../../store/imports/spool.ts'
import type { UserRecord } from '../../../store/user.ts'
import type { EngineContext, Handler, TeamCall } from '../../context.ts'
import { activeUser } from '../../users/users.ts'
import { withImportFile } from '../import-file.ts'
import { importOptions, type KeptOptions } from '../import-options.ts'
import { gatherInto, type ImportPlan, toFileOptions } from '../import-run.ts'
import { keptContent } from '../kept-file.ts'
import { type ReadAgain, RemapRun } from './remap-run.ts'
import { selectImports } from './selected-imports.ts'

export const remapImports: Handler<'import.remap'> = async (engine, { query, body }, call) => {
  const { teamId } = call.team
  const run = new RemapRun(engine, call, query, ['imports', body])
  const { users, leftOut } = await selectImports(engine, teamId, body)
  for (const each of leftOut) run.leaveOut(each)
  for (const { userId, imports } of users) {
    const user = await activeUser(engine, teamId, userId)
    const read = () => readFiles(engine, call, user, imports)
    if (users.length === 1) return run.only(user, read)
    await run.user(user, read)
  }
  return run.report()
}

async function readFiles(
  engine: EngineContext,
  call: TeamCall,
  user: UserRecord,
  imports: readonly ImportRecord[],
): Promise<ReadAgain> {
  const spool = await engine.store.data.openSpool()
  const importIds = imports.map(({ importId }) => importId)
  try {
    let records = 0
    for (const each of imports) records += await readFile(engine, call, user, spool, each)
    return { spool, plan: { kind: 'imports', importIds }, importIds, responses: 0, records }
  } catch (error) {
    await spool.discard()
    throw error
  }
}

/** Reads one file as at the time of its import. Returns the number of its records. */
async function readFile(
  engine: EngineContext,
  call: TeamCall,
  user: UserRecord,
  spool: ImportSpool,
  { importId, at, file, options: kept }: ImportRecord,
): Promise<number> {
  if (!file || !kept) throw new Error('an import without its file was selected')
  // stored by an import
  const { time_zone: timeZone, ...rest } = kept as unknown as KeptOptions
  const query = { ...rest, dry_run: true }
  const options = { ...(await importOptions(engine, query)), timeZone }
  const plan: ImportPlan = {
    ...{ user, options, query, importId: null, isDryRun: true, keepPartial: query.keep_partial },
    ...{ began: engine.time.now(), mayBeEmpty: true },
  }
  const stream = keptContent(engine, { userId: user.userId, importId, file })
  const asThen: TeamCall = Object.assign(Object.create(call) as TeamCall, { now: at })
  const source = { kind: 'stream', stream } as const
  return withImportFile(engine, asThen, source, toFileOptions(query, options), async readable => {
    const { records } = await gatherInto(spool, engine, asThen, plan, readable)
    return records
  })
}
