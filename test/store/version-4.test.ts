/** How version 4 of the schema converts existing data: the end of ingestion, and devices mentioned in summaries. */
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { VERSION_1 } from '../../src/store/sqlite/schema/version-1.ts'
import { VERSION_2 } from '../../src/store/sqlite/schema/version-2.ts'
import { VERSION_3 } from '../../src/store/sqlite/schema/version-3.ts'
import { VERSION_4 } from '../../src/store/sqlite/schema/version-4.ts'

const DEVICE = 'A0000000-0000-4000-8000-000000000001'

describe('version 4 of the schema', () => {
  it('makes the pause after the end of ingestion due, and finds the devices of summaries', () => {
    const db = new DatabaseSync(':memory:')
    for (const version of [VERSION_1, VERSION_2, VERSION_3]) db.exec(version)
    db.exec(`INSERT INTO team (team_id, name, created_on) VALUES ('t', 'local', 1);
      INSERT INTO user (user_id, team_id, client_user_id, created_on, ingestion_end) VALUES
        ('ends', 't', 'a', 1, '2026-11-20'), ('goes on', 't', 'b', 1, NULL);
      INSERT INTO summary (user_id, kind, id, provider, source_type, device_id, at, date, document, created_at, updated_at) VALUES
        ('ends', 'sleep', '1', 'oura', 'ring', '${DEVICE}', 1, '2026-11-01', '{}', 7, 9),
        ('ends', 'sleep', '2', 'oura', 'ring', '${DEVICE.toLowerCase()}', 2, '2026-11-02', '{}', 5, 9),
        ('ends', 'sleep', '3', 'oura', 'ring', NULL, 3, '2026-11-03', '{}', 3, 9)`)
    db.exec(VERSION_4)
    const rows = (sql: string) =>
      db
        .prepare(sql)
        .all()
        .map(row => ({ ...(row as object) }))
    expect(rows('SELECT user_id, kind, due_at FROM job')).toEqual([
      { user_id: 'ends', kind: 'pause', due_at: Date.UTC(2026, 10, 28) },
    ])
    expect(rows('SELECT user_id, device_id, provider, created_at, model FROM device')).toEqual([
      { user_id: 'ends', device_id: DEVICE.toLowerCase(), provider: 'oura', created_at: 5, model: null },
    ])
    db.close()
  })
})
