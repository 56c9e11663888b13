/** Reads a user's summaries of one kind in a date range. See docs/interface/summaries.md#summaries-4. */
import type { HandlerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { SUMMARY_WRAPPERS } from '../../contract/readings/summary.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import type { SummaryKind } from '../../core/sample.ts'
import {
  DAY_MS,
  type EpochMs,
  formatDate,
  HOUR_MS,
  type IsoDate,
  parseDate,
  parseDateTime,
  toInstant,
} from '../../core/time.ts'
import type { StoredSummary } from '../../store/sample.ts'
import { knownProvider } from '../connections/providers.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { summaryViewer } from './summary-view.ts'

type Query = HandlerInput<Operations['summary.get']>['query']

export const getSummary: Handler<'summary.get'> = async (engine, { params, query }, call) => {
  const { resource: kind } = params
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  if (query.provider !== '') knownProvider(engine, query.provider, ['query', 'provider'])
  const view = summaryViewer(engine.providers, kind, user.userId, call.compatibilityDate)
  if (kind === 'profile') return ok(view(await newestProfile(engine, user.userId, query.provider || null)))
  const rows = await summariesWithin(engine, user.userId, kind, query, call.now)
  return ok({ [SUMMARY_WRAPPERS[kind]]: rows.map(view) })
}

/** Returns the newest profile. Throws 404 if no provider has sent one. */
async function newestProfile(engine: EngineContext, userId: UserId, provider: string | null): Promise<StoredSummary> {
  const rows = await engine.store.summaries.list(userId, {
    kind: 'profile',
    provider,
    fromDate: formatDate(EARLIEST),
    toDate: formatDate(LATEST),
  })
  const [newest] = rows.toSorted((a, b) => b.updatedAt - a.updatedAt || b.at - a.at || (a.id < b.id ? -1 : 1))
  if (newest) return newest
  const whose = provider === null ? 'No provider has' : `${provider} has not`
  throw new ServiceError('not_found', `${whose} sent a profile of this user yet.`)
}

async function summariesWithin(
  engine: EngineContext,
  userId: UserId,
  kind: SummaryKind,
  query: Query,
  now: EpochMs,
): Promise<readonly StoredSummary[]> {
  const from = parseBound(kind, query.start_date as string, -1)
  const to = query.end_date ? parseBound(kind, query.end_date, 1) : { date: furthestToday(now), at: null }
  if (query.end_date && earliestInstant(from) > latestInstant(to)) {
    throw invalid([{ loc: ['query', 'end_date'], msg: 'must not be before start_date', type: 'value_error' }])
  }
  const rows = await engine.store.summaries.list(userId, {
    kind,
    provider: query.provider || null,
    fromDate: from.date,
    toDate: to.date,
  })
  return rows.filter(row => (from.at === null || row.at >= from.at) && (to.at === null || row.at <= to.at))
}

/** One end of a range: a calendar date, and an instant if one was given. */
interface Bound {
  readonly date: IsoDate
  readonly at: EpochMs | null
}

/** Kinds that cover a whole day. Of a date-time, only the date counts. */
const WHOLE_DAY: ReadonlySet<SummaryKind> = new Set(['activity', 'body'])
/** Maximum difference between a summary's local date, under which it is listed, and the UTC date of its time, plus one day as a margin. */
const DATE_SLACK_MS = 2 * DAY_MS
const EARLIEST: EpochMs = parseDate('0001-01-01') as EpochMs
const LATEST: EpochMs = parseDate('9999-12-31') as EpochMs

function parseBound(kind: SummaryKind, text: string, side: -1 | 1): Bound {
  if (parseDate(text) !== undefined) return { date: text, at: null }
  const parsed = parseDateTime(text)
  if (!parsed) throw new Error('the contract accepted an invalid date-time')
  if (WHOLE_DAY.has(kind)) return { date: formatDate(parsed.local), at: null }
  const at = toInstant(parsed)
  const wide = Math.min(LATEST, Math.max(EARLIEST, at + side * DATE_SLACK_MS))
  return { date: formatDate(wide), at }
}

/** Returns the last date of a range without an end, which is today in the easternmost time zone. */
function furthestToday(now: EpochMs): IsoDate {
  return formatDate(now + 14 * HOUR_MS)
}

function earliestInstant({ date, at }: Bound): EpochMs {
  return at ?? (parseDate(date) as EpochMs)
}

function latestInstant({ date, at }: Bound): EpochMs {
  return at ?? (parseDate(date) as EpochMs) + DAY_MS - 1
}
