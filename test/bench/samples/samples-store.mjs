/** A store in a new folder with one user, and samples to fill it with. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const TEAM = '11111111-1111-4111-8111-111111111111'
export const USER = '22222222-2222-4222-8222-222222222222'
export const START = Date.UTC(2016, 0, 1)
export const MINUTE = 60_000
export const DAY = 86_400_000
export const HEART = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }

export const freshFolder = (parent = tmpdir()) => mkdtempSync(join(parent, 'svc-bench-'))

export async function openStore({ openSqliteStore, openDataFolder }, folder) {
  const store = openSqliteStore({ folder: openDataFolder(folder), waitForLock: 'blocking' })
  await store.teams.local(async () => ({
    teamId: TEAM,
    name: 'local',
    createdOn: 0,
    rejectDuplicateConnection: false,
  }))
  const user = {
    userId: USER,
    teamId: TEAM,
    clientUserId: 'bench',
    createdOn: 0,
    fallbackTimeZone: null,
    fallbackBirthDate: null,
    ingestionStart: null,
    ingestionEnd: null,
    deletedAt: null,
  }
  if (!(await store.users.find(TEAM, USER))) await store.users.create(user)
  return store
}

/** Builds the input that a push of samples passes to the store. */
export const writing = batches => ({
  at: START,
  teamId: TEAM,
  batches,
  summaries: [],
  streams: [],
  events: { kind: 'daily' },
  connections: [],
  consumeToken: null,
  importing: null,
})

/** Returns a generator of integer heart rates that wander between 45 and 190: they compress as badly as real ones. */
export function beats(seed = 7) {
  let state = seed >>> 0
  let bpm = 70
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bpm += ((state >>> 24) % 7) - 3
    if (bpm < 45 || bpm > 190) bpm = 70
    return bpm
  }
}

/** Yields `count` batches of `size` samples, one a minute starting at `from`, as typed arrays. */
export function minuteBatches(count, size, series = HEART, from = START) {
  const next = beats()
  return Array.from({ length: count }, (_, b) => {
    const start = new Float64Array(size)
    const value = new Float64Array(size)
    for (let i = 0; i < size; i++) {
      start[i] = from + (b * size + i) * MINUTE
      value[i] = next()
    }
    const offset = new Int32Array(size).fill(3600)
    return { series, n: size, start, end: null, value, second: null, offset, text: new Map() }
  })
}
