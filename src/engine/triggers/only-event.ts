/** Writes an event without any change of data: the example for its type, about a user, with the given values. */
import { member } from '../../connectors/shared/json-fields.ts'
import { eventBody } from '../../contract/events/event-payload.ts'
import type { EpochMs, IsoDate } from '../../core/time.ts'
import type { OutboxEvent } from '../../store/event.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext } from '../context.ts'
import { type GivenValue, misfits, unknownPath, withValue } from './given.ts'

export interface ExampleEvent {
  readonly user: Pick<UserRecord, 'teamId' | 'userId' | 'clientUserId'>
  readonly type: string
  /** The engine's time. */
  readonly now: EpochMs
  /** The data's time. Defaults to now. */
  readonly at?: EpochMs | null
  readonly compatibilityDate: IsoDate
  readonly given?: readonly GivenValue[]
  /** The endpoints that receive the event. Null means all endpoints that are subscribed to its type. */
  readonly endpointIds: readonly string[] | null
}

/** Writes the event. Throws 422 for a path that does not exist in the type, and for a value that does not match its schema. */
export async function emitExample(engine: EngineContext, example: ExampleEvent): Promise<OutboxEvent> {
  const { user, type, now, endpointIds } = example
  const data = await eventData(example)
  return engine.store.events.emit(user.userId, { teamId: user.teamId, type, data, at: now, endpointIds })
}

async function eventData({ user, type, now, at, compatibilityDate, given = [] }: ExampleEvent): Promise<unknown> {
  // this module contains the examples of all types, so load it only here
  const { exampleBody } = await import('../events/examples/example.ts')
  const { teamId, userId, clientUserId } = user
  const body = exampleBody(type, { teamId, userId, clientUserId, at: at ?? now, compatibilityDate })
  if (given.length === 0) return body.data
  let { data } = body
  for (const { parts, value, path } of given) data = withValue(data, resolvePath(data, parts), value, path)
  const result = eventBody(type)?.safeParse({ ...body, data })
  if (!result?.success) {
    throw misfits(result?.error.issues ?? [], ['body', 'set'])
  }
  // a schema's output omits fields that the schema does not define
  for (const { parts, path } of given) {
    if (!has(result.data['data'], resolvePath(data, parts))) throw unknownPath(path, listPaths(body.data))
  }
  return data
}

/** Returns the path in the data. A path without an index refers to the first sample of a batch. */
function resolvePath(data: unknown, parts: readonly string[]): readonly string[] {
  const samples = member(data, 'data')
  const [name = ''] = parts
  const isOfBatch = typeof data === 'object' && data !== null && name in data
  if (!Array.isArray(samples) || isOfBatch) return parts
  return ['data', '0', ...parts]
}

function has(whole: unknown, parts: readonly string[]): boolean {
  const [name, ...rest] = parts
  if (name === undefined) return true
  if (typeof whole !== 'object' || whole === null || !Object.hasOwn(whole, name)) return false
  return has((whole as Readonly<Record<string, unknown>>)[name], rest)
}

/** Returns a payload's top-level paths. For a batch, also returns a sample's paths. */
function listPaths(data: unknown): string[] {
  const names = (value: unknown): string[] => Object.keys((value ?? {}) as object)
  const samples = member(data, 'data')
  const own = names(data).filter(name => name !== 'user_id' && name !== 'data')
  const inner = Array.isArray(samples) ? names(samples[0]) : []
  return [...inner, ...own].map(name => `data.${name}`)
}
