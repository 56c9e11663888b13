/** Steps of the conversation: teams, keys, the audit trail and deprecations. */
import { firstId, NOBODY, text, topic } from '../conversation.ts'

const { steps, step } = topic()
export const teamSteps = steps

type Memory = Parameters<typeof text>[0]
const team = (memory: Memory) => ({ team_id: text(memory, 'create a team', 'team_id') })

step('create a team', 'team.create', { body: { name: 'acme', environment: 'production', region: 'eu' } })
step('create a team with a name that is taken', 'team.create', { body: { name: 'acme' } })
step('create a team without a name', 'team.create', () => ({ body: {} }))
step('create a team in an unknown region', 'team.create', () => ({ body: { name: 'b', region: 'mars' } }))
step('list the teams', 'team.list', {})
step('change the settings of a team', 'team.update', memory => ({
  params: team(memory),
  body: { name: 'acme 2', user_limit: 7, beta: { aggregate: false }, compatibility_date: '2024-06-01' },
}))
step('change no settings of a team', 'team.update', memory => ({ params: team(memory), body: {} }))
step('rename a team to a name that is taken', 'team.update', memory => ({
  params: team(memory),
  body: { name: 'local' },
}))
step('change an unknown setting', 'team.update', memory => ({ params: team(memory), body: { gamma: true } }))
step('change a setting of an unknown team', 'team.update', { params: { team_id: NOBODY }, body: { user_limit: 1 } })

step('create a key', 'key.create', memory => ({ params: team(memory), body: { label: 'web', is_operator: true } }))
step('create a key without a body', 'key.create', memory => ({ params: team(memory) }))
step('create a key for an unknown team', 'key.create', { params: { team_id: NOBODY }, body: {} })
step('create a key with a label too long', 'key.create', memory => ({
  params: team(memory),
  body: { label: 'x'.repeat(101) },
}))
step('list the keys of a team', 'key.list', memory => ({ query: team(memory) }))
step('list the keys of an unknown team', 'key.list', { query: { team_id: NOBODY } })
step('list zero keys', 'key.list', { query: { limit: 0 } })
step('revoke a key', 'key.revoke', memory => ({
  params: { key_id: firstId(memory, 'list the keys of a team', 'keys', 'key_id') },
}))
step('revoke an unknown key', 'key.revoke', { params: { key_id: NOBODY } })
step('list the keys of a team, revoked ones too', 'key.list', memory => ({ query: { ...team(memory), revoked: true } }))

step('create a one-time URL for the console', 'console.sign_in_token', {})

const person = (memory: Memory) => ({ person_id: text(memory, 'add a person', 'person_id') })
step('add a person', 'person.create', { body: { name: 'Ana', role: 'reader' } })
step('add a person with a name that is taken', 'person.create', { body: { name: 'Ana', role: 'owner' } })
step('add a person with an unknown role', 'person.create', () => ({ body: { name: 'Ben', role: 'admin' } }))
step('add a person to an unknown team', 'person.create', { body: { name: 'Ben', role: 'owner', team_id: NOBODY } })
step('list the people', 'person.list', {})
step('list the people of an unknown team', 'person.list', { query: { team_id: NOBODY } })
step('change the role of a person', 'person.update', memory => ({ params: person(memory), body: { role: 'operator' } }))
step('change an unknown person', 'person.update', { params: { person_id: NOBODY }, body: { role: 'owner' } })
step('create a one-time URL for a person', 'person.sign_in_token', memory => ({ params: person(memory) }))
step('create a one-time URL for an unknown person', 'person.sign_in_token', { params: { person_id: NOBODY } })
step('remove a person', 'person.remove', memory => ({ params: person(memory) }))
step('remove an unknown person', 'person.remove', { params: { person_id: NOBODY } })
step('list the passkeys of people', 'passkey.list', {})
step('remove an unknown passkey', 'passkey.remove', { params: { passkey_id: NOBODY } })
step('list the sessions of the console', 'session.list', {})
step('end an unknown session', 'session.end', { params: { session_id: NOBODY } })

// the caller differs between the two ways: only a trail without entries can be compared
step('the audit trail of an inactive team', 'audit.list', memory => ({ query: team(memory) }))
step('the audit trail of an unknown team', 'audit.list', { query: { team_id: NOBODY } })
step('the audit trail since an invalid date', 'audit.list', { query: { since: 'yesterday' } })
step('the audit trail after an invalid cursor', 'audit.list', { query: { next_cursor: 'AAAA' } })

step('announced deprecations', 'deprecation.list', {})
