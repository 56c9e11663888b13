/** Checks live connections, record states and token sets. */
import { TOKEN_SET_STATES } from '../../tables/live.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { isDocument } from './documents.ts'
import { isThere } from './pages.ts'
import { defineTraversal, findProblems } from './traversal.ts'

export async function* checkLive(db: Database): AsyncIterable<StoreProblem> {
  yield* findProblems(db, LIVE_CONNECTIONS)
  yield* findProblems(db, LIVE_RECORDS)
  yield* findProblems(db, TOKEN_SETS)
}

const LIVE_CONNECTIONS = defineTraversal({
  what: 'live_connection',
  table: 'live_connection',
  joins: `LEFT JOIN connection ON connection.user_id=live_connection.user_id AND connection.provider=live_connection.provider
    LEFT JOIN user ON user.user_id=live_connection.user_id`,
  key: ['user_id', 'provider'],
  columns: {
    user_id: 'text',
    provider: 'text',
    team_id: 'text',
    due_at: 'number?',
    progress: 'text',
    hastened: 'text?',
    announced: 'text',
    subscriptions: 'text',
    has_connection: 'number',
    status: 'text?',
    team: 'text?',
  },
  computed: { has_connection: isThere('connection.user_id'), status: 'connection.status', team: 'user.team_id' },
  nameOf: row => `the live connection to ${row.provider}`,
  faults: row => [
    // while the user is being purged, there is neither a connection nor a team
    ...(row.has_connection || row.team === null ? [] : ['there is no such connection']),
    ...(row.team === null || row.team === row.team_id ? [] : ['its team is not that of the user']),
    ...(row.due_at !== null && row.has_connection && row.status !== 'connected'
      ? ['it is due although the connection is not connected']
      : []),
    ...([row.progress, row.announced, row.subscriptions, row.hastened ?? '{}'].every(isDocument)
      ? []
      : ['its progress cannot be read']),
  ],
})

const LIVE_RECORDS = defineTraversal({
  what: 'live_record',
  table: 'live_record',
  key: ['user_id', 'provider', 'collection', 'record_id'],
  columns: { user_id: 'text', provider: 'text', collection: 'text', record_id: 'text', brought: 'text' },
  nameOf: row => `the state of a record from ${row.provider}`,
  faults: row => (isDocument(row.brought) ? [] : ['it cannot be read']),
})

const TOKEN_SETS = defineTraversal({
  what: 'provider_grant',
  table: 'provider_grant',
  key: ['user_id', 'provider', 'grant_id'],
  columns: {
    user_id: 'text',
    provider: 'text',
    grant_id: 'text',
    state: 'text',
    due_at: 'number?',
    has_bytes: 'number',
  },
  computed: { has_bytes: isThere('provider_grant.sealed') },
  nameOf: row => `a token set for ${row.provider}`,
  faults: row => [
    ...(TOKEN_SET_STATES.some(state => state === row.state) ? [] : ['there is no such state']),
    ...((row.state === 'moved') === !row.has_bytes ? [] : ['its state and its content do not match']),
    ...((row.state === 'revoking') === (row.due_at !== null) ? [] : ['its state and its due time do not match']),
  ],
})
