/** Empties the store, and keeps who may call. */

import { UNCHECKED_ROWS } from '../../logic/rows/checked-rows.ts'
import { CLOCK_FROZEN, CLOCK_OFFSET } from '../../logic/teams/settings.ts'
import type { Replaced } from '../../snapshot.ts'
import { SNAPSHOT_SETTING } from './moment.ts'
import { type Replacement, replaceState } from './replacement.ts'

/** Teams with their settings and keys stay, and those settings and jobs that are about the file itself. */
const KEPT_TABLES: readonly string[] = ['team', 'api_key', 'setting', 'job']

/** Empties the store. Throws like replaceState. */
export function resetState(options: Pick<Replacement, 'database' | 'owed' | 'signal'>): Promise<Replaced> {
  return replaceState({
    ...options,
    async inside(run, tables) {
      for (const table of tables) {
        if (!KEPT_TABLES.includes(table)) await run(`DELETE FROM main."${table}"`)
      }
      await run('UPDATE main.team SET user_count=0')
      await run(
        `DELETE FROM main.setting WHERE name IN ('${CLOCK_OFFSET}', '${CLOCK_FROZEN}', '${SNAPSHOT_SETTING}', '${UNCHECKED_ROWS}')`,
      )
      await run("DELETE FROM main.job WHERE user_id<>''")
      await run(
        `INSERT INTO main.job (user_id, kind, due_at) VALUES ('', 'scrub', 1)
         ON CONFLICT (user_id, kind) DO UPDATE SET due_at=due_at+1`,
      )
    },
  })
}
