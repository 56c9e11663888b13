/** Reads the audit trail page by page, newest first. */
import { makeUuid, uuidBytes } from '../../core/ids.ts'
import { formatInstant } from '../../core/time.ts'
import type { AuditEntry } from '../../store/audit.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { parseRangeStart } from '../readings/timeseries.ts'
import { seal, unseal } from '../sealed-cursor.ts'
import { teamNamed } from '../teams/teams.ts'

/** Size of a time and an ID, which make up a cursor's state. */
const STATE_BYTES = 24

export const listAudit: Handler<'audit.list'> = async (engine, { query }) => {
  const teamId = query.team_id === undefined ? null : (await teamNamed(engine, query.team_id)).teamId
  const operation = query.operation ?? null
  const since = query.since === undefined ? null : parseRangeStart(query.since)
  const pagination = ['audit', teamId, operation, since]
  const key = engine.masterKey()
  const before = query.next_cursor
    ? decodePosition(unseal(key, pagination, query.next_cursor, STATE_BYTES, 'list of entries'))
    : null
  const found = await engine.store.audit.list({ teamId, operation, since, before, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  const names = await namesOfPeople(engine, shown)
  const last = shown.at(-1)
  return ok({
    entries: shown.map(each => ({
      entry_id: each.entryId,
      at: formatInstant(each.at),
      team_id: each.teamId,
      actor: each.actor,
      person: names.get(each.actor) ?? null,
      operation: each.operation,
      object: { ...each.object },
      outcome: each.outcome,
    })),
    next_cursor: last && found.length > shown.length ? seal(key, pagination, encodePosition(last)) : null,
  })
}

/** Returns the names of the people among the actors, by actor. */
async function namesOfPeople(
  engine: EngineContext,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  if (!entries.some(({ actor }) => actor.startsWith('person:'))) return new Map()
  const people = await engine.store.consolePeople.all()
  return new Map(people.map(({ personId, name }) => [`person:${personId}`, name]))
}

function encodePosition({ at, entryId }: AuditEntry): Buffer {
  const state = Buffer.alloc(STATE_BYTES)
  state.writeDoubleBE(at, 0)
  state.set(uuidBytes(entryId), 8)
  return state
}

function decodePosition(state: Buffer): Pick<AuditEntry, 'at' | 'entryId'> {
  return { at: state.readDoubleBE(0), entryId: makeUuid(state.subarray(8), 7) }
}
