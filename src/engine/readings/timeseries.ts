/**
 * Serves grouped timeseries: pages of samples in time order, grouped by provider and source. See docs/interface/timeseries.md#timeseries-8.
 */
import { resourceNamed, type TimeseriesResource } from '../../catalogue/resources.ts'
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { present } from '../../core/present.ts'
import { DAY_MS, type EpochMs, parseDate, readInstant } from '../../core/time.ts'
import { knownProvider } from '../connections/providers.ts'
import type { EngineContext, Handler, TeamCall } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { openCursor, type SampleTraversal, sealCursor } from './cursor.ts'
import { pageBytes } from './page-bytes.ts'
import { groupSamples } from './sample-groups.ts'

type Body = ReplyBody<Operations['timeseries.grouped']>

export const groupedTimeseries: Handler<'timeseries.grouped'> = async (engine, { params, query }, call) => {
  const { userId, resource, from, end } = await askedSamples(engine, { params, query }, call)
  const pagination: SampleTraversal = {
    teamId: call.team.teamId,
    userId,
    resource: resource.name,
    provider: query.provider,
    from,
    to: end ?? 'open',
  }
  const cursor = query.next_cursor || query.cursor
  const state = cursor ? openCursor(engine.masterKey(), pagination, cursor) : null
  const to = state?.to ?? end ?? call.now
  const page = await engine.store.samples.page(
    userId,
    { resource: resource.name, provider: query.provider || null, from, to },
    state?.after ?? null,
    engine.pageSize,
  )
  const next = page.next && sealCursor(engine.masterKey(), pagination, { after: page.next, to })
  let body: Body | undefined
  return {
    kind: 'json',
    status: 200,
    headers: {},
    // build only the form that is needed: objects for a caller in this process, bytes for HTTP
    get body() {
      body ??= { groups: groupSamples(resource, page.slices), next_cursor: next, next }
      return body
    },
    wire: () => pageBytes(resource, page.slices, next),
  }
}

/** The samples that a call selects. */
export interface AskedSamples {
  readonly userId: UserId
  readonly resource: TimeseriesResource
  /** If empty, samples from every provider are selected. */
  readonly provider: string
  readonly from: EpochMs
  /** Null means now. */
  readonly end: EpochMs | null
}

/**
 * Returns the requested selection. Throws 404 for an unknown user, and 422 for an unknown provider or a range that ends before it starts.
 */
export async function askedSamples(
  engine: EngineContext,
  { params, query }: Pick<HandlerInput<Operations['timeseries.grouped' | 'timeseries.download']>, 'params' | 'query'>,
  call: TeamCall,
): Promise<AskedSamples> {
  const { userId } = await activeUser(engine, call.team.teamId, params.user_id)
  const resource = resourceNamed(params.resource) as TimeseriesResource // the contract lists the allowed names
  const { provider } = query
  if (provider !== '') knownProvider(engine, provider, ['query', 'provider'])
  const from = parseRangeStart(query.start_date)
  const end = query.end_date ? parseRangeEnd(query.end_date) : null
  if (end !== null && end < from) {
    throw invalid([{ loc: ['query', 'end_date'], msg: 'must not be before start_date', type: 'value_error' }])
  }
  return { userId, resource, provider, from, end }
}

/**
 * Returns the start of a range. A date without a time means 00:00:00, and a time without an offset is in UTC. See
 * docs/interface/timeseries.md#timeseries-6.
 */
export function parseRangeStart(text: string): EpochMs {
  return parseDate(text) ?? instant(text)
}

/**
 * Returns the end of a range. A date without a time means 23:59:59 including that whole second, so that no sample is lost between two days.
 */
export function parseRangeEnd(text: string): EpochMs {
  const day = parseDate(text)
  return day === undefined ? instant(text) : day + DAY_MS - 1
}

/** Returns the instant of a date-time that the contract has already checked. */
function instant(text: string): EpochMs {
  return present(readInstant(text), 'a date-time that the contract has checked')
}
