/** Nodes that start at the same time on an empty database: one creates the tables, and all of them use the same store. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { databaseUrl, TEST_STORE } from '../../kit/postgres/maintenance.ts'

const NAME = `svc_first_nodes_${process.pid}`

describe.skipIf(TEST_STORE === undefined)('the first nodes of a store', () => {
  const client = new pg.Client({ connectionString: TEST_STORE })

  beforeAll(() => client.connect())

  afterAll(async () => {
    await client.query(`DROP DATABASE IF EXISTS ${NAME} WITH (FORCE)`)
    await client.end()
  })

  it('agree on one store, however their starts overlap', async () => {
    for (let round = 0; round < 6; round++) {
      await client.query(`DROP DATABASE IF EXISTS ${NAME} WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${NAME}`)
      const url = parseStoreUrl(databaseUrl(NAME))
      const open = () =>
        openPostgresStore({
          url,
          folder: openDataFolder(temporaryFolder()),
          masterKeyCheck: 'the same',
          waitForLock: 'async',
        })
      const stores = await Promise.all([open(), open(), open()])
      const teams = await Promise.all(
        stores.map(
          (store, i) => store.teams.local(async () => ({ teamId: `${i}` as never, name: 'local', createdOn: 0 })), // any text is a valid ID
        ),
      )
      expect(new Set(teams.map(team => team.teamId)).size).toBe(1)
      await Promise.all(stores.map(store => store.close()))
    }
  })
})
