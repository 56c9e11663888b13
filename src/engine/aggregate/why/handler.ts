/** Serves the operation `aggregate.why`. */
import { WHY_TYPE } from '../../../contract/aggregates/why.ts'
import { invalid } from '../../../core/errors.ts'
import { keyId, publicJwk, signDetached } from '../../../core/signing/detached-signature.ts'
import { type EpochMs, parseDate } from '../../../core/time.ts'
import { NO_ORDERS } from '../../../store/source-order.ts'
import { type Handler, ok } from '../../context.ts'
import { parseRangeEnd } from '../../readings/timeseries.ts'
import { storeKey } from '../../signing/store-key.ts'
import { activeUser } from '../../users/users.ts'
import { computeCertain } from './past/uncertainty.ts'
import { explainNumber } from './why.ts'

export const aggregateWhy: Handler<'aggregate.why'> = async (engine, { params, query }, call) => {
  const { team, now, signal } = call
  const { teamId, queryDefaults: defaults } = team
  const user = await activeUser(engine, teamId, params.user_id)
  const { store, providers } = engine
  const { userId } = user
  const mayMerge = query.merge ?? defaults.merges
  const asked = {
    ...{ now, providers, defaults, signal },
    priorities: await store.priorities.ofTeam(teamId),
    orders: mayMerge ? await store.sourceOrders.ofUser(teamId, userId) : NO_ORDERS,
  }
  const asOf = query.as_of === undefined ? null : pastTime(query.as_of, now)
  const who = { userId, fallbackTimeZone: user.fallbackTimeZone?.value ?? null }
  const owner = { store, teamId, userId, signal }
  const present = () =>
    explainNumber({ source: store, origins: { ...owner, until: Infinity }, asOf }, who, query, asked)
  const then = async (at: EpochMs) => {
    const { openPast } = await import('./past/source.ts')
    const past = await openPast({ ...owner, at })
    const origins = { ...owner, until: at }
    return {
      result: await explainNumber({ source: past.source, origins, asOf: at }, who, query, asked),
      gap: past.gap(),
    }
  }
  const document = asOf === null ? await present() : await computeCertain(asOf, now, then)
  const key = storeKey(engine)
  const signature = { kid: keyId(publicJwk(key)), jws: signDetached(document, key, WHY_TYPE) }
  return ok({ ...document, signature })
}

/** Returns the time of the data: a date stands for its end, or for the present if it has not ended yet. Throws a 422 for the future. */
function pastTime(text: string, now: EpochMs): EpochMs {
  const [at, day] = [parseRangeEnd(text), parseDate(text)]
  if (at <= now) return at
  if (day !== undefined && day <= now) return now
  throw invalid([{ loc: ['query', 'as_of'], msg: 'must not be in the future', type: 'value_error' }])
}
