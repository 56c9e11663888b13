/** Steps of the conversation: changes to a user, info, insurance, refresh, devices, introspection, and ending connections. */
import { inBytes, type Memory, NOBODY, text, topic, withToken } from '../conversation.ts'

const { steps, step } = topic()
export const userLifeSteps = steps

const ofUser = (memory: Memory) => ({ params: { user_id: text(memory, 'create a user to change', 'user_id') } })
const nobody = { params: { user_id: NOBODY } }

step('create a user to change', 'user.create', { body: { client_user_id: 'life', ingestion_start: '2026-01-01' } })
const patch = (name: string, body: object): void => step(name, 'user.patch', memory => ({ ...ofUser(memory), body }))
patch('change it', { client_user_id: 'Life-2', fallback_time_zone: 'Europe/Paris', fallback_birth_date: '1985-06-07' })
patch('clear its zone', { fallback_time_zone: null })
patch('change nothing', {})
patch('take its name', { client_user_id: null })
patch('give it the name of another', { client_user_id: 'second' })
patch('give it a zone on Mars', { fallback_time_zone: 'Mars/Base' })
patch('end it before it starts', { ingestion_end: '2025-01-01' })
step('change an unknown user', 'user.patch', { ...nobody, body: { fallback_time_zone: null } })
step('get the changed user', 'user.get', ofUser)
step('search', 'user.search', { query: { query_id: 'life' } })
step('search by id', 'user.search', memory => ({ query: { query_id: ofUser(memory).params.user_id } }))
step('search without a match', 'user.search', { query: { query_id: 'no such name' } })
step('search by one letter', 'user.search', { query: { query_id: 'l' } })
step('names', 'user.names', { query: { starts_with: 'life' } })
step('names that nobody has', 'user.names', { query: { starts_with: 'no such name' } })
step('all names', 'user.names', {})
step('figures of the team', 'user.metrics', {})
step('a sign-in token', 'user.sign_in_token', ofUser)
step('a sign-in token for an unknown user', 'user.sign_in_token', nobody)

const address = { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip_code: '94103', country: 'US' }
const person = {
  first_name: 'Ada',
  last_name: 'Sample',
  email: 'ada@example.test',
  phone_number: '+1 415 555 0100',
  gender: 'female' as const,
  dob: '1985-06-07',
  address,
}
step('info before it is set', 'user.info', ofUser)
step('info of an unknown user', 'user.info', nobody)
step('set info', 'user.set_info', memory => ({ ...ofUser(memory), body: { ...person, race: 'other' } }))
step('set invalid info', 'user.set_info', memory => ({
  ...ofUser(memory),
  body: { ...person, first_name: '%', phone_number: '1', address: {}, race: 'none' },
}))
step('set info of an unknown user', 'user.set_info', { ...nobody, body: person })
step('info', 'user.info', ofUser)
const insurance = { payor_code: 'SVC02', member_id: 'M1', relationship: 'Spouse' as const, insured: person }
step('insurance before there is one', 'user.insurance', ofUser)
step('insurance of an unknown user', 'user.insurance', nobody)
step('add an insurance', 'user.add_insurance', memory => ({ ...ofUser(memory), body: insurance }))
step('add an invalid one', 'user.add_insurance', memory => ({ ...ofUser(memory), body: { payor_code: 7 } }))
step('add one to an unknown user', 'user.add_insurance', { ...nobody, body: insurance })
step('insurance', 'user.insurance', ofUser)
step('insurance that is not primary', 'user.insurance', memory => ({
  ...ofUser(memory),
  query: { is_primary: 'false' },
}))

step('refresh without connections', 'user.refresh', ofUser)
step('refresh an unknown user', 'user.refresh', nobody)
step('a token for the changed user', 'link.token', memory => ({ body: { user_id: ofUser(memory).params.user_id } }))
step(
  'link the changed user',
  'link.password',
  { params: { provider: 'whoop' }, body: { username: 'life', password: 'right' } },
  withToken('a token for the changed user'),
)
step('refresh', 'user.refresh', memory => ({ ...ofUser(memory), query: { timeout: '60' } }))
step('refresh with a timeout that is too long', 'user.refresh', memory => ({
  ...ofUser(memory),
  query: { timeout: 61 },
}))
for (let i = 2; i <= 8; i++) step(`refresh, time ${i}`, 'user.refresh', ofUser)
step('refresh too often', 'user.refresh', ofUser)
step('push data with a device', 'samples.push', memory => ({
  ...ofUser(memory),
  body: inBytes({
    samples: [
      {
        resource: 'heartrate',
        provider: 'polar',
        source_type: 'chest_strap',
        device_id: 'a0000000-0000-4000-8000-000000000001',
        timestamp: '2026-11-19T10:00:00Z',
        value: 64,
      },
    ],
  }),
}))
step('devices', 'user.devices', ofUser)
step('devices of an unknown user', 'user.devices', nobody)
step('a device', 'user.device', memory => ({
  params: { ...ofUser(memory).params, device_id: 'A0000000-0000-4000-8000-000000000001' },
}))
step('an unknown device', 'user.device', memory => ({ params: { ...ofUser(memory).params, device_id: NOBODY } }))

const about = (memory: Memory) => ({ query: { user_id: ofUser(memory).params.user_id } })
step('introspect resources', 'introspect.resources', about)
step('introspect pulls', 'introspect.historical_pulls', about)
step('introspect a page', 'introspect.resources', { query: { user_limit: '1' } })
step('introspect the next page', 'introspect.resources', memory => ({
  query: { user_limit: '1', next_cursor: text(memory, 'introspect a page', 'next_cursor') },
}))
step('introspect with a cursor of another list', 'introspect.historical_pulls', memory => ({
  query: { provider: 'whoop', next_cursor: text(memory, 'introspect a page', 'next_cursor') },
}))
step('introspect an unknown user', 'introspect.resources', { query: { user_id: NOBODY } })
step('introspect pulls of an unknown provider', 'introspect.historical_pulls', { query: { provider: 'woop' } })

const connection = (provider: string) => (memory: Memory) => ({ params: { ...ofUser(memory).params, provider } })
const fail = (name: string, provider: string, body: object): void =>
  step(name, 'provider.fail', memory => ({ ...connection(provider)(memory), body }))
fail('fail a connection', 'whoop', { error_type: 'token_refresh_failed', error_message: 'for a test' })
fail('fail one that there is not', 'oura', { error_type: 'unknown' })
fail('fail an unknown provider', 'woop', { error_type: 'unknown' })
fail('fail it in an unknown way', 'whoop', { error_type: 'tired' })
step('connections, one in error', 'user.providers', ofUser)
step('disconnect', 'user.disconnect', connection('whoop'))
step('disconnect again', 'user.disconnect', connection('whoop'))
step('disconnect an unknown provider', 'user.disconnect', connection('woop'))
step('disconnect an unknown user', 'user.disconnect', { params: { user_id: NOBODY, provider: 'whoop' } })
step('delete the changed user', 'user.delete', ofUser)
step('change the deleted user', 'user.patch', memory => ({ ...ofUser(memory), body: { ingestion_end: null } }))
step('info of the deleted user', 'user.info', ofUser)
