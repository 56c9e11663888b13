import { mkdtempSync } from 'node:fs'
import pg from 'pg'
import { expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'

it('works', async () => {
  const a = new pg.Client({ connectionString: 'postgres://svc@127.0.0.1:5599/postgres' })
  await a.connect()
  await a.query('DROP DATABASE IF EXISTS smoke')
  await a.query('CREATE DATABASE smoke')
  await a.end()
  const S = await import('../../bench/samples/samples-store.mjs')
  const store = await openPostgresStore({
    url: parseStoreUrl('postgres://svc@127.0.0.1:5599/smoke'),
    folder: openDataFolder(mkdtempSync('/tmp/smk-')),
    masterKeyCheck: 'x',
    waitForLock: 'async',
  })
  await store.teams.local(async () => ({ teamId: S.TEAM, name: 'local', createdOn: 0 }) as never)
  console.log(
    await store.users.create({
      userId: S.USER,
      teamId: S.TEAM,
      clientUserId: 'bench',
      createdOn: 0,
      fallbackTimeZone: null,
      fallbackBirthDate: null,
      ingestionStart: null,
      ingestionEnd: null,
      deletedAt: null,
    } as never),
  )
  const col = (n: number, from: number, step: number) => ({
    series: S.HEART,
    n,
    start: Float64Array.from({ length: n }, (_, i) => from + i * step),
    end: null,
    value: Float64Array.from({ length: n }, (_, i) => 50 + (i % 80)),
    second: null,
    offset: null,
    text: new Map(),
  })
  const counts = (store.upkeep as any).db.counts
  for (let i = 0; i < 5; i++) {
    const before = { ...counts }
    const out = await store.data.write(S.USER as never, S.writing([col(1440, S.START + i * S.DAY, 60000)]) as never)
    console.log(
      JSON.stringify(out),
      counts.roundTrips - before.roundTrips,
      counts.statements - before.statements,
      counts.retries,
    )
  }
  const t = []
  for (let i = 0; i < 1000; i++) {
    const b = performance.now()
    await store.data.write(
      S.USER as never,
      S.writing([col(1, S.START + (i % 5) * S.DAY + 30000 + ((i * 7) % 1400) * 60000, 1000)]) as never,
    )
    t.push(performance.now() - b)
  }
  t.sort((a, b) => a - b)
  console.log('p50', t[500], 'p90', t[900], counts)
  await store.placed()
  const l = await store.events.list({
    teamId: S.TEAM,
    userId: null,
    types: null,
    since: null,
    until: null,
    state: null,
    endpointId: null,
    order: 'asc',
    after: null,
    limit: 10000,
  } as never)
  console.log(l.length, l[0]?.event.arrival, l.at(-1)?.event.sequence)
  const b = performance.now()
  await Promise.all(
    Array.from({ length: 320 }, (_, i) =>
      store.data.write(S.USER as never, S.writing([col(1440, S.START + (100 + i) * S.DAY, 60000)]) as never),
    ),
  )
  console.log('320 together one user', (320 * 1440) / (performance.now() - b) / 1000, 'M/s', counts)
  await store.close()
}, 60000)
