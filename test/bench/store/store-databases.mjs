/** Separate databases for each part of the benchmark, and stores in them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { TEAM } from '../samples/samples-store.mjs'

let made = 0

/** Creates an empty database on the URL's server, and returns its URL and a function that removes it. */
export async function freshDatabase(url) {
  const name = `svc_bench_${process.pid}_${++made}`
  await asking(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return { url: own.href, drop: () => asking(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function asking(url, statement) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Opens a store in a database, as a server does, with a team. `close` removes its folder. */
export async function openStore(engine, url) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-store-'))
  const store = await engine.openPostgresStore({
    url: engine.parseStoreUrl(url),
    folder: engine.openDataFolder(folder),
    masterKeyCheck: 'bench',
    waitForLock: 'async',
  })
  await store.teams.local(async () => ({ teamId: TEAM, name: 'local', createdOn: 0 }))
  const close = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { ...store, close }
}

/** Returns the ID of the user with this number. The IDs are spread over all slices. */
export function userAt(number) {
  const start = ((number * 2_654_435_761) >>> 0).toString(16).padStart(8, '0')
  return `${start}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

/** Creates users with the numbers below `count`. */
export async function createUsers(store, count) {
  for (let from = 0; from < count; from += 32) {
    const some = Array.from({ length: Math.min(32, count - from) }, (_, i) => from + i)
    await Promise.all(
      some.map(number =>
        store.users.create({
          userId: userAt(number),
          teamId: TEAM,
          clientUserId: `bench-${number}`,
          createdOn: number,
          fallbackTimeZone: null,
          fallbackBirthDate: null,
          ingestionStart: null,
          ingestionEnd: null,
          deletedAt: null,
        }),
      ),
    )
  }
}
