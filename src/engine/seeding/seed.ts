/** Creates people in a team. The same seed results in the same people, anywhere and at any time. See docs/seeded-people.md. */
import type { SeededPerson } from '../../connectors/synthetic/people.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant } from '../../core/time.ts'
import { nextLoopTick } from '../../core/time-slice.ts'
import { listUserConnections } from '../connections/connections.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { parseRangeStart } from '../readings/timeseries.ts'
import { bringPerson, type Story } from './person.ts'

/** Maximum work per call, so that each call takes only a few seconds. Callers repeat the call until everything is done. */
const MOST_PERSON_DAYS = 180

type Entry = ReplyBody<Operations['engine.seed']>['people'][number]

export const seedEngine: Handler<'engine.seed'> = async (engine, { body }, call) => {
  const { people: count, first, days, seed } = body
  const until = parseEnd(body.until ?? null, call.now)
  const { makePerson } = await import('../../connectors/synthetic/people.ts')
  const people = Array.from({ length: count }, (_, i) => makePerson({ seed, number: i + 1 }, call.team.name))
  await refuseStrangers(engine, people, call)
  const story: Story = { teamId: call.team.teamId, at: call.now, until, days }
  const entries: Entry[] = []
  const asked = people.slice(first - 1)
  for (const person of asked.slice(0, Math.max(1, Math.floor(MOST_PERSON_DAYS / days)))) {
    // let other calls run between two people
    await nextLoopTick()
    if (call.signal?.aborted) {
      throw new ServiceError(
        'cancelled',
        'Cancelled. The people created so far are complete. Repeat the call to create the others.',
      )
    }
    entries.push(await seededEntry(engine, person, story))
  }
  const next = first + entries.length
  return ok({ seed, until: formatInstant(until), days, people: entries, next: next > count ? null : next })
}

/**
 * Returns the end of the simulated time range. Throws 422 for a time in the future. A date means midnight UTC, and a date-time without an
 * offset is in UTC.
 */
function parseEnd(text: string | null, now: EpochMs): EpochMs {
  if (text === null) return now
  const until = parseRangeStart(text)
  if (until > now) {
    const msg = "must not be after the engine's time. Move it forward with svc engine clock advance"
    throw invalid([{ loc: ['body', 'until'], msg, type: 'value_error' }])
  }
  return until
}

/** Throws 409 before anything is written if a name belongs to another user or if a person was deleted. */
async function refuseStrangers(engine: EngineContext, people: readonly SeededPerson[], call: TeamCall): Promise<void> {
  const { teamId } = call.team
  const taken: string[] = []
  const deleted: string[] = []
  for (const { userId, clientUserId } of people) {
    const user = await engine.store.users.find(teamId, userId)
    if (user?.deletedAt === null) continue
    if (user || (await engine.store.users.latestDeletion(teamId, clientUserId)) === userId) deleted.push(clientUserId)
    else if (await engine.store.users.byClientId(teamId, clientUserId)) taken.push(clientUserId)
  }
  const [name] = deleted.length > 0 ? deleted : taken
  if (name === undefined) return
  const others = (deleted.length > 0 ? deleted : taken).length - 1
  const who = others === 0 ? name : `${name} and ${others} more`
  const message =
    deleted.length > 0
      ? `These people existed before and were deleted: ${who}.`
      : `The team already has users with these names that do not belong to this seed: ${who}.`
  throw new ServiceError('conflict', `${message} Nothing was changed.`, {
    suggestions: [
      ...(deleted.length > 0 ? [`\`svc user undo-delete ${name}\` restores a user within 7 days.`] : []),
      'Seed a new data folder (--data-dir) or another team, or empty this store: svc engine reset',
    ],
  })
}

async function seededEntry(engine: EngineContext, person: SeededPerson, story: Story): Promise<Entry> {
  const { state, samples, summaries, streams } = await bringPerson(engine, person, story)
  const { createCourse } = await import('../../connectors/synthetic/people.ts')
  const { key, userId, clientUserId, timeZone } = person
  const course = createCourse(key, userId, timeZone)
  const last = course.calendar.dateAt(story.until)
  const within = [last - story.days * DAY_MS, last] as const
  const period = ({ firstMs, lastMs }: { firstMs: EpochMs; lastMs: EpochMs }) => ({
    from: formatDate(Math.max(firstMs, within[0])),
    to: formatDate(Math.min(lastMs, within[1])),
  })
  const connections = await listUserConnections(engine, userId)
  return {
    client_user_id: clientUserId,
    user_id: userId,
    state,
    time_zone: timeZone,
    habits: course.habits,
    connections: connections.map(({ provider, status }) => ({ provider, status })),
    illnesses: course.illnessesWithin(...within).map(period),
    trips: course.tripsWithin(...within).map(trip => ({ ...period(trip), time_zone: trip.timeZone })),
    gaps: course.gapsWithin(...within).map(period),
    samples,
    summaries,
    streams,
  }
}
