/** Deletes the samples of a range: how what an application pushed is taken back. */
import { invalid } from '../../core/errors.ts'
import { knownProvider } from '../connections/providers.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { endOf, startOf } from './timeseries.ts'

/** The bounds mean what they mean when samples are read (interface.md 4.1), and both are asked for. */
export const deleteTimeseries: Handler<'timeseries.delete'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  if (query.provider !== '') knownProvider(query.provider, ['query', 'provider'])
  const [from, to] = [startOf(query.start_date), endOf(query.end_date)]
  if (to < from) {
    throw invalid([{ loc: ['query', 'end_date'], msg: 'must not be before start_date', type: 'value_error' }])
  }
  const range = { resource: params.resource, provider: query.provider || null, from, to }
  const deleted = await engine.store.deleteSamples(user.userId, range, call.now)
  return ok({ deleted })
}
