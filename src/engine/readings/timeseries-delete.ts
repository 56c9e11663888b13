/** Deletes the samples in a range, so that an application can undo a push. */
import { invalid } from '../../core/errors.ts'
import { knownProvider } from '../connections/providers.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { parseRangeEnd, parseRangeStart } from './timeseries.ts'

/**
 * Deletes the samples in a range. Both bounds are required, and have the same meaning as for reading samples. See
 * docs/interface/timeseries.md#timeseries-6.
 */
export const deleteTimeseries: Handler<'timeseries.delete'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  if (query.provider !== '') knownProvider(engine, query.provider, ['query', 'provider'])
  const [from, to] = [parseRangeStart(query.start_date), parseRangeEnd(query.end_date)]
  if (to < from) {
    throw invalid([{ loc: ['query', 'end_date'], msg: 'must not be before start_date', type: 'value_error' }])
  }
  const range = { resource: params.resource, provider: query.provider || null, from, to }
  const deleted = await engine.store.samples.delete(user.userId, range, call.now)
  return ok({ deleted })
}
