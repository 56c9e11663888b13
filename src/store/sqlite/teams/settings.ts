/** Settings of the data folder as rows: the clock, and which team is the local one. */
import type { ClockState } from '../../../core/clock.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Connection } from '../connection.ts'
import { hastenQueryJobs } from '../jobs.ts'

const CLOCK_OFFSET = 'clock_offset_ms'

export function readClock(connection: Connection): ClockState {
  return { offsetMs: Number(setting(connection, CLOCK_OFFSET) ?? 0) }
}

/** `now` is what the clock says then. */
export function writeClock(connection: Connection, state: ClockState, now: EpochMs): void {
  hastenQueryJobs(connection, now)
  putSetting(connection, CLOCK_OFFSET, state.offsetMs)
}

export function setting(connection: Connection, name: string): string | number | undefined {
  return connection.get<{ value: string | number }>('SELECT value FROM setting WHERE name=?', name)?.value
}

export function putSetting(connection: Connection, name: string, value: string | number): void {
  connection.run(
    'INSERT INTO setting (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value',
    name,
    value,
  )
}
