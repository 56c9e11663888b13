/** Steps of the conversation: users that are created, found and listed. Their deletion and the clock come at the very end (endOfUsers). */
import { forUser, NOBODY, text, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const userSteps = steps

step('create a user', 'user.create', {
  body: { client_user_id: 'a b/c@d', fallback_time_zone: 'Europe/Berlin', fallback_birth_date: '1990-02-03' },
})
step('create it again', 'user.create', { body: { client_user_id: 'a b/c@d' } })
step('create an invalid user', 'user.create', () => ({ body: { fallback_time_zone: 'Mars', ingestion_end: 7 } }))
step('create a user from an empty body', 'user.create', () => ({}))
step('create another', 'user.create', { body: { client_user_id: 'second', ingestion_start: '2026-01-01' } })
step('get it', 'user.get', forUser)
step('get an unknown user', 'user.get', { params: { user_id: NOBODY } })
step('get a user by an invalid ID', 'user.get', () => ({ params: { user_id: 'x' } }))
step('list', 'user.list', {})
step('list a page', 'user.list', { query: { offset: 1, limit: 1 } })
step('list too much', 'user.list', { query: { limit: 501 } })
step('resolve', 'user.resolve', { params: { client_user_id: 'a b/c@d' } })
step('resolve an unknown user', 'user.resolve', { params: { client_user_id: 'nobody' } })
step('providers of the service', 'provider.list', {})
step('providers of the service by type', 'provider.list', { query: { source_type: 'watch' } })
step('no connections yet', 'user.providers', forUser)
step('connections of an unknown user', 'user.providers', { params: { user_id: NOBODY } })

const end = topic()
/** The last steps of the whole conversation: afterwards the user and the clock are no longer as they were. */
export const lastUserSteps = end.steps

end.step('delete', 'user.delete', forUser)
end.step('delete again', 'user.delete', forUser)
end.step('get the deleted user', 'user.get', forUser)
end.step('undo the deletion', 'user.undo_delete', { body: { client_user_id: 'a b/c@d' } })
end.step('undo it again', 'user.undo_delete', memory => ({ body: { user_id: user(memory) } }))
end.step('undo for both', 'user.undo_delete', memory => ({ body: { user_id: user(memory), client_user_id: 'x' } }))
end.step('undo for an unknown user', 'user.undo_delete', { body: { client_user_id: 'nobody' } })
end.step('delete once more', 'user.delete', forUser)
end.step('advance the clock', 'clock.set', { body: { advance: '8d' } })
end.step('undo too late', 'user.undo_delete', memory => ({ body: { user_id: user(memory) } }))
end.step('set the clock', 'clock.set', { body: { set: '2027-01-01T00:00:00Z' } })
end.step('set it to an invalid time', 'clock.set', () => ({ body: { set: 'tomorrow' } }))
end.step('follow real time', 'clock.set', { body: { follow: 'real_time' } })
end.step('reset', 'engine.reset', { body: { confirm: 'reset' } })
end.step('replay a recording', 'recording.replay', memory => ({
  body: { kind: 'file', path: text(memory, 'files', 'recording') },
}))
