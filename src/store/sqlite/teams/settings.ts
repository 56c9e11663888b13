/** Settings of the data folder as rows: the clock, the epoch of the store, and which team is the local one. */
import type { ClockState } from '../../../core/clock.ts'
import type { Connection } from '../connection.ts'

export const CLOCK_OFFSET = 'clock_offset_ms'
export const CLOCK_FROZEN = 'clock_frozen_at'
export const EPOCH = 'epoch'
/** The id in the database and in the mark beside it (store-mark.ts). Neither a restore nor a reset changes it. */
export const STORE_ID = 'store_id'

export function readClock(db: Connection): ClockState {
  const frozenAt = setting(db, CLOCK_FROZEN)
  return {
    offsetMs: Number(setting(db, CLOCK_OFFSET) ?? 0),
    frozenAt: frozenAt === undefined ? null : Number(frozenAt),
  }
}

/** Returns how often the whole state was replaced (restored, or emptied). What was read in another epoch is no longer valid. */
export function readEpoch(db: Connection): number {
  return Number(setting(db, EPOCH) ?? 0)
}

export function setting(db: Connection, name: string): string | number | undefined {
  return db.get<{ value: string | number }>('SELECT value FROM setting WHERE name=?', name)?.value
}

export function putSetting(db: Connection, name: string, value: string | number): void {
  db.run(
    'INSERT INTO setting (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value',
    name,
    value,
  )
}
