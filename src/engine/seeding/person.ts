/** Creates one of a seed's people: the user, the connections, and the providers' data about the person. */
import type { Provider } from '../../catalogue/provider.ts'
import { splitScopes } from '../../catalogue/resource-availability.ts'
import type { SeededPerson } from '../../connectors/synthetic/people.ts'
import { accountName } from '../../connectors/synthetic/people.ts'
import { ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import type { SummaryRecord } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { WriteReport } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import { listUserConnections } from '../connections/connections.ts'
import { describePull, simulatedHistory } from '../connections/pulls.ts'
import type { EngineContext } from '../context.ts'
import { withinBounds } from '../intake/ingestion.ts'
import { bringAccount } from '../links/account.ts'
import { fallback } from '../users/users.ts'

export interface Story {
  readonly teamId: TeamId
  /** The engine's time. */
  readonly at: EpochMs
  readonly until: EpochMs
  readonly days: number
}

/** Number of new or changed items. */
export interface Told {
  readonly state: 'created' | 'updated' | 'unchanged'
  readonly samples: number
  readonly summaries: number
  readonly streams: number
}

/** Number of days before the end of the simulated time range at which a failing account fails. */
const FAILED_DAYS = 4

/** Creates the person, or only adds new data if the person exists. Throws ServiceError `bad_request` or `conflict`. */
export async function bringPerson(engine: EngineContext, person: SeededPerson, story: Story): Promise<Told> {
  const { teamId } = story
  const known = await engine.store.users.find(teamId, person.userId)
  const user = known ?? (await createPerson(engine, person, story))
  const present = await listUserConnections(engine, user.userId)
  let told = { samples: 0, summaries: 0, streams: 0 }
  for (const [i, { provider: slug, fails }] of person.accounts.entries()) {
    const provider = engine.providers.find(slug) as Provider
    const connection = present.find(each => each.provider === slug)
    let report: WriteReport | null = null
    if (!connection) report = await link(engine, { person, user, provider, order: i, fails }, story)
    else if (connection.status === 'connected') report = await refresh(engine, { user, provider }, story)
    if (!connection && fails) {
      const error = {
        type: 'token_refresh_failed',
        message: "The provider refused to refresh this connection's tokens",
        at: dataEnd(story, fails),
      }
      await engine.store.connections.fail(teamId, user.userId, slug, error)
    }
    if (report) told = addReport(told, report)
  }
  if (known === null) return { state: 'created', ...told }
  const isNew = told.samples + told.summaries + told.streams > 0
  return { state: isNew ? 'updated' : 'unchanged', ...told }
}

async function createPerson(engine: EngineContext, person: SeededPerson, story: Story): Promise<UserRecord> {
  const createdOn = creationTime(person, story)
  const user: UserRecord = {
    userId: person.userId,
    teamId: story.teamId,
    clientUserId: person.clientUserId,
    createdOn,
    fallbackTimeZone: fallback(person.timeZone, createdOn),
    fallbackBirthDate: fallback(person.birthDate, createdOn),
    ingestionStart: null,
    ingestionEnd: null,
    deletedAt: null,
  }
  const outcome = await engine.store.people.create(user, person.key)
  switch (outcome.kind) {
    case 'created':
      return user
    case 'full':
      throw new ServiceError('quota_exceeded', `The team has reached its limit of ${outcome.limit} active users.`, {
        suggestions: [
          `${person.clientUserId} and the people after that are missing.`,
          'Ask for fewer people, or have an operator raise the limit: svc engine team set NAME --max-users N',
        ],
      })
    case 'taken':
      throw new ServiceError('conflict', `Another user now has the client_user_id ${person.clientUserId}.`)
  }
}

interface Linked {
  readonly person: SeededPerson
  readonly user: UserRecord
  readonly provider: Provider
  readonly order: number
  readonly fails: boolean
}

/** Connects an account in the same way as a sign-in: pulls the history, with events that announce the data but do not contain it. */
async function link(engine: EngineContext, linked: Linked, story: Story): Promise<WriteReport> {
  const { person, user, provider, order, fails } = linked
  const scopes = provider.scopes.map(each => each.name)
  const consent = provider.authType === 'oauth' ? splitScopes(provider.scopes, scopes) : null
  const name = accountName(person, provider.slug, provider.authType)
  const since = creationTime(person, story) + (order + 1) * MINUTE_MS
  const until = dataEnd(story, fails)
  const days = Math.max(1, story.days - Math.round((story.until - until) / DAY_MS))
  const outcome = await bringAccount(
    engine,
    { user, provider, name, region: null, consent },
    { at: story.at, since, until, days, consumeToken: null },
  )
  if (outcome.kind === 'written') return outcome.report
  throw new ServiceError('conflict', `${person.clientUserId} cannot be connected to ${provider.slug}.`, {
    suggestions: ['Another user of the team holds the account, or this one has a demo connection.'],
  })
}

/** Pulls in the same way as a refresh, with events that contain the new data. */
async function refresh(
  engine: EngineContext,
  { user, provider }: Pick<Linked, 'user' | 'provider'>,
  { at, until, days }: Story,
): Promise<WriteReport> {
  const { slug } = provider
  const history = await simulatedHistory(engine, user, { provider, now: until, days })
  const summaries = at - until < HOUR_MS ? history.summaries : settled(history.summaries, until)
  const outcome = await engine.store.data.write(user.userId, {
    at,
    ...withinBounds(user, { ...history, summaries }).data,
    ...describePull(engine, { user, provider: slug, kind: 'refresh', from: history.from, to: until }),
    events: { kind: 'daily' },
  })
  if (outcome.kind !== 'written') throw new Error('a refresh must not consume a token')
  return outcome.report
}

/** Drops summaries that grow during the day, so that a run that ends earlier than the previous one does not make them smaller. */
function settled(summaries: readonly SummaryRecord[], until: EpochMs): SummaryRecord[] {
  return summaries.filter(({ kind, date, offset }) => {
    const today = formatDate(until + (offset ?? 0) * SECOND_MS)
    return date < today && kind !== 'profile' && kind !== 'menstrual_cycle'
  })
}

/** Returns a person's creation time. These times are one second apart, so that lists have a fixed order. */
function creationTime({ key }: SeededPerson, { until, days }: Story): EpochMs {
  return until - days * DAY_MS + key.number * SECOND_MS
}

/** Returns the time at which the account's data ends. */
function dataEnd({ until, days }: Story, fails: boolean): EpochMs {
  return fails ? until - Math.min(FAILED_DAYS, Math.floor(days / 2)) * DAY_MS : until
}

function addReport(told: Omit<Told, 'state'>, report: WriteReport): Omit<Told, 'state'> {
  const samples = Object.values(report.stored).reduce((sum, each) => sum + each.samples - each.unchanged, 0)
  const summaries = Object.values(report.summaries).reduce((sum, each) => sum + each.created + each.updated, 0)
  const { created, updated } = report.streams
  return {
    samples: told.samples + samples,
    summaries: told.summaries + summaries,
    streams: told.streams + created + updated,
  }
}
