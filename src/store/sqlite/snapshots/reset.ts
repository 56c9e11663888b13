/** Empties the store but keeps its keys. Uses the tables in the file, in the thread that replaces states. */
import { ENDED_SETTINGS } from '../../logic/emptying.ts'
import type { Replaced } from '../../snapshot.ts'
import { KEPT_TABLES } from '../../tables/catalogue.ts'
import { sqlLiteral } from './copy.ts'
import { SNAPSHOT_SETTING } from './moment.ts'
import { type Replacement, replaceState } from './replacement.ts'

/** Empties the store. Throws the same errors as replaceState. */
export function resetState(options: Pick<Replacement, 'database' | 'owed' | 'signal'>): Promise<Replaced> {
  return replaceState({
    ...options,
    async inside(run, tables) {
      for (const table of tables) {
        if (!KEPT_TABLES.some(({ name }) => name === table)) await run(`DELETE FROM main."${table}"`)
      }
      await run('UPDATE main.team SET user_count=0')
      const ended = [...ENDED_SETTINGS, SNAPSHOT_SETTING].map(sqlLiteral)
      await run(`DELETE FROM main.setting WHERE name IN (${ended.join(', ')})`)
      await run("DELETE FROM main.job WHERE user_id<>''")
      await run(
        `INSERT INTO main.job (user_id, kind, due_at) VALUES ('', 'scrub', 1)
         ON CONFLICT (user_id, kind) DO UPDATE SET due_at=due_at+1`,
      )
    },
  })
}
