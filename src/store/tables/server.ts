/** Tables for servers: console sessions, faults, recordings, and a database's identity. */
import { table } from './table.ts'

/**
 * Console sessions, by the hash of their secret. A session of the data folder's owner has neither a key nor a person. Times are real time.
 * `browser` is the browser's family, such as Firefox.
 */
export const CONSOLE_SESSION = table({
  name: 'console_session',
  owner: 'team',
  life: 'session',
  columns: {
    hash: 'text',
    team_id: 'text',
    key_id: 'text?',
    created_at: 'number',
    last_seen_at: 'number',
    person_id: 'text?',
    browser: { type: 'text', default: '' },
  },
  key: ['hash'],
  cluster: 'coordinator',
})

/** One-time tokens that start sessions. */
export const CONSOLE_TOKEN = table({
  name: 'console_token',
  owner: 'team',
  life: 'session',
  columns: { hash: 'text', team_id: 'text', key_id: 'text?', expires_at: 'number', person_id: 'text?' },
  key: ['hash'],
  cluster: 'coordinator',
})

/** Faults that servers make on purpose. */
export const FAULT = table({
  name: 'fault',
  owner: 'store',
  life: 'process',
  columns: {
    fault_id: 'number',
    method: 'text?',
    path: 'text',
    kind: 'text',
    status: 'number?',
    delay_ms: 'number?',
    probability: 'real',
    times: 'number?',
    seed: 'text?',
    created_at: 'number',
  },
  key: ['fault_id'],
  hasRowid: true,
  numbersItself: true,
  cluster: 'coordinator',
  isSalvaged: true,
})

/** A recording in progress. */
export const RECORDING = table({
  name: 'recording',
  owner: 'store',
  life: 'process',
  columns: { recording_id: 'text', alive_until: 'number', last: 'number' },
  key: ['recording_id'],
  onlyIn: 'sqlite',
})

export const RECORDING_ENTRY = table({
  name: 'recording_entry',
  owner: 'store',
  life: 'process',
  columns: { number: 'number', part: 'number', line: 'text?', data: 'blob?' },
  key: ['number', 'part'],
  hasRowid: true,
  onlyIn: 'sqlite',
})

/** The store's lock. Every write that does not concern a single user first locks its row. */
export const STORE_LOCK = table({
  name: 'store_lock',
  owner: 'store',
  life: 'process',
  columns: { id: 'number' },
  key: ['id'],
  cluster: 'coordinator',
  onlyIn: 'postgres',
})
