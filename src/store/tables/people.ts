/** Tables for the people who sign in to the console. A restore leaves them unchanged, so that it returns no rights to anybody. */
import { ROLES } from '../../catalogue/roles.ts'
import { table } from './table.ts'

/** People. Removed ones remain, because the audit trail refers to them. */
export const CONSOLE_PERSON = table({
  name: 'console_person',
  owner: 'team',
  life: 'staying',
  columns: {
    person_id: { type: 'text', is: 'uuid' },
    team_id: 'text',
    name: 'text',
    role: { type: 'text', oneOf: ROLES },
    created_on: 'number',
    removed_at: { type: 'number?', tellsChange: true },
  },
  key: ['person_id'],
  indexes: { console_person_by_name: 'UNIQUE (team_id, name) WHERE removed_at IS NULL' },
  cluster: 'everywhere',
  isKeptEmpty: true,
})

/** Passkeys. Those of a removed person are removed. Times are real time. */
export const CONSOLE_PASSKEY = table({
  name: 'console_passkey',
  owner: 'team',
  life: 'staying',
  columns: {
    passkey_id: { type: 'text', is: 'uuid' },
    person_id: 'text',
    team_id: 'text',
    name: 'text',
    host: 'text',
    credential_id: 'text',
    public_key: 'blob',
    sign_count: 'number',
    created_at: 'number',
    last_used_at: { type: 'number?', tellsChange: true },
  },
  key: ['passkey_id'],
  indexes: { console_passkey_by_credential: 'UNIQUE (credential_id)' },
  cluster: 'everywhere',
  isKeptEmpty: true,
})

/** Used challenges, by their hash, until they expire in real time. */
export const CONSOLE_CHALLENGE = table({
  name: 'console_challenge',
  owner: 'team',
  life: 'session',
  columns: { hash: 'text', team_id: 'text', expires_at: 'number' },
  key: ['hash'],
  cluster: 'coordinator',
})
