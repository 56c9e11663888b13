/** Finds the imports that a remap reads again, and explains why others are left out. */

import type { HandlerInput } from '../../../contract/kernel/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { invalid, ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { formatCount } from '../../../core/text.ts'
import { formatInstant } from '../../../core/time.ts'
import type { ImportPosition, ImportRecord } from '../../../store/data-write.ts'
import type { EngineContext } from '../../context.ts'
import { activeUser } from '../../users/users.ts'
import { type LeftOut, REMAP_FORMAT } from './remap-run.ts'

type Body = HandlerInput<Operations['import.remap']>['body']

/** Imports of one user, earliest first. */
export interface SelectedImports {
  readonly userId: UserId
  readonly imports: readonly ImportRecord[]
}

export interface Selection {
  readonly users: readonly SelectedImports[]
  readonly leftOut: readonly LeftOut[]
}

const IMPORTS_AT_ONCE = 500

/** Throws ServiceError 422 for an empty selection, 404 for an unknown import, and 409 for a named import that cannot be read again. */
export async function selectImports(engine: EngineContext, teamId: TeamId, body: Body): Promise<Selection> {
  const { import_ids: ids, user_id: userId, format } = body
  if (ids !== undefined) {
    if (userId !== undefined || format !== undefined) throw oneWay()
    return selectNamed(engine, teamId, [...new Set(ids)])
  }
  if (userId === undefined && format === undefined) throw oneWay()
  if (userId !== undefined) await activeUser(engine, teamId, userId)
  const all = await importsOf(engine, teamId, userId ?? null)
  const read = all.filter(each => each.format !== REMAP_FORMAT && each.undoneAt === null)
  const wanted = read.filter(each => format === undefined || each.format === format)
  const leftOut: LeftOut[] = []
  const ready: ImportRecord[] = []
  for (const each of wanted) {
    const others = readTogether(each, all)
    const missing = others.find(other => problemOf(other) !== null)
    if (missing === undefined) ready.push(...others)
    else {
      const reason = missing === each ? (problemOf(each) as string) : TOGETHER
      leftOut.push({ user_id: each.userId, import_id: each.importId, reason, count: 1 })
    }
  }
  if (ready.length === 0 && leftOut.length > 0) throw noneReadable(leftOut.length)
  return { users: byUser(ready), leftOut }
}

async function selectNamed(engine: EngineContext, teamId: TeamId, ids: readonly string[]): Promise<Selection> {
  const selected: ImportRecord[] = []
  for (const id of ids) {
    const [found, all] = await findImport(engine, teamId, id)
    if (found.format === REMAP_FORMAT) throw isRemap()
    if (found.undoneAt !== null) throw wasUndone(found.undoneAt)
    for (const each of readTogether(found, all)) {
      const problem = problemOf(each)
      if (problem !== null) throw notReadable(each === found ? problem : TOGETHER)
      selected.push(each)
    }
  }
  return { users: byUser(selected), leftOut: [] }
}

/** Returns an import and all imports of its user. */
async function findImport(engine: EngineContext, teamId: TeamId, id: string): Promise<[ImportRecord, ImportRecord[]]> {
  // the ID contains the first bytes of its user's ID
  for (const { userId, deletedAt } of await engine.store.users.ofOwnedId(teamId, id)) {
    if (deletedAt !== null) continue
    const all = await importsOf(engine, teamId, userId)
    const found = all.find(each => each.importId === id)
    if (found) return [found, all]
  }
  throw new ServiceError('not_found', 'There is no import with this id.', {
    suggestions: ['`svc import list` shows the imports.'],
  })
}

/** Returns the imports of a user or of the team, earliest first. */
async function importsOf(engine: EngineContext, teamId: TeamId, userId: UserId | null): Promise<ImportRecord[]> {
  const all: ImportRecord[] = []
  for (let after: ImportPosition | null = null; ; ) {
    const page: ImportRecord[] = await engine.store.imports.list(teamId, userId, { limit: IMPORTS_AT_ONCE, after })
    all.push(...page)
    after = page.at(-1) ?? null
    if (page.length < IMPORTS_AT_ONCE) return all.reverse()
  }
}

/**
 * Returns an import with those that were read again together with it. Their remaps cannot be told apart, so all of them are read again.
 */
function readTogether(first: ImportRecord, all: readonly ImportRecord[]): ImportRecord[] {
  const ids = new Set([first.importId])
  const remaps = all.filter(each => each.remap?.kind === 'imports' && each.undoneAt === null)
  for (let before = 0; ids.size > before; ) {
    before = ids.size
    for (const { remap } of remaps) {
      if (remap?.kind === 'imports' && remap.importIds.some(id => ids.has(id)))
        for (const id of remap.importIds) ids.add(id)
    }
  }
  return all.filter(each => ids.has(each.importId) && (each === first || each.undoneAt === null))
}

const TOGETHER = 'it was read again together with an import whose content is not kept'

/** Returns why an import cannot be read again, or null. */
function problemOf({ isKept, options }: ImportRecord): string | null {
  return isKept && options ? null : 'its content is not kept'
}

function byUser(imports: readonly ImportRecord[]): SelectedImports[] {
  const found = new Map<UserId, Map<string, ImportRecord>>()
  for (const each of imports) {
    const known = found.get(each.userId) ?? new Map<string, ImportRecord>()
    found.set(each.userId, known.set(each.importId, each))
  }
  const inOrder = (a: ImportRecord, b: ImportRecord): number => a.afterSequence - b.afterSequence || a.at - b.at
  return [...found].map(([userId, some]) => ({ userId, imports: [...some.values()].sort(inOrder) }))
}

function oneWay(): ServiceError {
  const msg = 'name either imports (import_ids), or a user (user_id), a format, or both'
  return invalid([{ loc: ['body'], msg, type: 'value_error' }], 'invalid_request', [
    'For example: svc import remap IMPORT_ID, or svc import remap --user USER',
  ])
}

function isRemap(): ServiceError {
  return new ServiceError('conflict', 'This is a remap, not an import. Name the imports that it read again.', {
    suggestions: ['`svc import list --json` shows them in the field remap.'],
  })
}

function wasUndone(at: number): ServiceError {
  return new ServiceError('conflict', `The import was undone at ${formatInstant(at)}, so it is not read again.`, {
    suggestions: ['Import the file again to bring its data back.'],
  })
}

function notReadable(problem: string): ServiceError {
  return new ServiceError('conflict', `The import cannot be read again, because ${problem}.`, { suggestions: KEEPING })
}

function noneReadable(count: number): ServiceError {
  const which = count === 1 ? 'The only import' : `None of the ${formatCount(count)} imports`
  const why =
    count === 1 ? 'because the content of its file is not kept' : 'because the content of their files is not kept'
  const message = `${which} can${count === 1 ? 'not' : ''} be read again, ${why}.`
  return new ServiceError('conflict', message, { suggestions: KEEPING })
}

const KEEPING = [
  'Import the file again: values that the new version reads differently are replaced.',
  'To keep imported files from now on, run: svc engine team set TEAM --keep-imports 90d',
]
