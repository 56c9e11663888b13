/** A write about a user locks that user before it reads or writes anything else of the user, so that it may run in any database. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type Move, Mover } from '../../engine/recordings/recording-moves.ts'
import { openHarness } from '../../kit/harness.ts'
import { root } from '../../kit/sandbox.ts'
import { watchUserLocks } from '../../kit/store/user-locks.ts'
import { fillLive, KEY, link, NOW } from '../live/live-store.ts'
import { storeWithUser, TEAM, USER } from '../user-store.ts'

const MOVES: readonly Move['kind'][] = [
  'query',
  ...['push', 'push', 'import', 'import', 'undo import', 'link', 'wrong code', 'fail', 'refresh', 'order'],
  ...['simulate', 'cancel', 'delete samples', 'patch', 'test event', 'run due', 'advance', 'run due', 'disconnect'],
  ...['delete', 'undo delete', 'delete', 'freeze', 'advance', 'run due'],
] as readonly Move['kind'][]

const watch = watchUserLocks()
afterAll(() => watch.stop())

it('locks the user first in every write about a user', async () => {
  const h = await openHarness()
  const mover = new Mover(h)
  await mover.make({ kind: 'create', who: 0, what: 0 })
  await mover.make({ kind: 'create', who: 0, what: 1 })
  await mover.make({ kind: 'demo', who: 1, what: 0 })
  // 3 sets the clock 8 days ahead, which is later than a purge
  for (const kind of MOVES) for (const who of [0, 1]) await mover.make({ kind, who, what: kind === 'advance' ? 3 : 0 })
  expect(watch.unlocked).toEqual([])
  const changed = ['account', 'connection', 'continuous_state', 'delivery', 'import', 'job', 'lab_order', 'link_token']
  expect([...watch.tables]).toEqual(expect.arrayContaining([...changed, 'outbox', 'series', 'user']))
  await h.engine.close()
})

it('locks the user first in every write of a live provider', async () => {
  const store = await storeWithUser()
  await fillLive(store)
  await link(store, 'grant-2')
  const [tokenSet] = await store.live.tokenSets.revoking(Date.now(), null, 1)
  await store.live.tokenSets.lease(
    { ...KEY, grantId: 'grant-2' },
    {
      rev: 0,
      holder: 'a',
      insteadOf: null,
      now: NOW,
      until: NOW + 1,
    },
  )
  const refreshed = { rev: 0, sealed: new Uint8Array(1), keyId: 'key', expiresAt: null }
  await store.live.tokenSets.refresh({ ...KEY, grantId: 'grant-2' }, refreshed)
  if (tokenSet) await store.live.tokenSets.remove(tokenSet)
  await store.live.pulls.hasten(KEY, null, NOW)
  await store.users.delete(TEAM, USER, NOW, NOW)
  await store.users.purge(USER, NOW)
  expect(watch.unlocked).toEqual([])
  const changed = ['live_connection', 'live_record', 'person_budget', 'provider_grant', 'raw_answer']
  expect([...watch.tables]).toEqual(expect.arrayContaining(changed))
  await store.close()
})

/** Writes without a lock, because they are not about one user. Writes about several users lock each of them once the user is known. */
const ABOUT_NOBODY: readonly RegExp[] = [
  // of the store, a team or an endpoint
  /^(counters|faults|teams\/(audit|clock|priorities|source-orders|stored-bytes|teams)|webhooks\/[\w-]+|continuous\/query-store)\.ts: /,
  // of an OAuth app, or of many users: responses that are too old
  /^live\/(notifications|oauth-apps|subscriptions)\.ts: |^live\/pulls\.ts: removeRaw: /,
  // deliveries of many users, and stored exchanges of old attempts
  /^deliveries\/deliveries\.ts: .*(this\.take|leaveWith|resendSlice)\b/,
  /^aging\.ts: .*=> removeSlice\(/,
  // of a key, of the owner of the data folder, or of a person who signs in to the console
  /^console\/(passkeys|people|sessions)\.ts: /,
  // the creation of a user
  /^users\/(people|user-store)\.ts: create: write\((insertPerson|insertUser)\)/,
  // these lock themselves, or call a function that does
  /^(part|database|teams\/keyed-responses|live\/budgets)\.ts: /,
]

it('has a reason for every other write without a lock', () => {
  const logic = join(root, 'src', 'store', 'logic')
  const writes = readdirSync(logic, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name =>
      [...readFileSync(join(logic, name), 'utf8').matchAll(/^.*(?:\bdb\.|\w: )write(?:Aside)?\(.*$/gm)].map(
        ([line]) => `${name}: ${line.trim()}`,
      ),
    )
  expect(writes.length).toBeGreaterThan(40)
  const others = writes.filter(line => !line.includes('lockingUser('))
  expect(others.filter(line => !ABOUT_NOBODY.some(rule => rule.test(line)))).toEqual([])
})
