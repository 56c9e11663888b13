/** Stores the store's settings as rows: the clock, the epoch and the local team. */
import type { ClockState } from '../../../core/clock.ts'
import { command, one, query, run, type Steps } from '../steps.ts'

export const CLOCK_OFFSET = 'clock_offset_ms'
export const CLOCK_FROZEN = 'clock_frozen_at'
export const EPOCH = 'epoch'
/** Setting with the store's ID, which is also in its folder's mark (store-mark.ts). Neither a restore nor a reset changes it. */
export const STORE_ID = 'store_id'

export function* readClock(): Steps<ClockState> {
  const frozenAt = yield* setting(CLOCK_FROZEN)
  return {
    offsetMs: Number((yield* setting(CLOCK_OFFSET)) ?? 0),
    frozenAt: frozenAt === undefined ? null : Number(frozenAt),
  }
}

/** Returns how often the whole state has been replaced (restored or emptied). Data that was read in another epoch is no longer valid. */
export function* readEpoch(): Steps<number> {
  return Number((yield* setting(EPOCH)) ?? 0)
}

const FIND_SETTING = query<{ readonly value: string | number }>('SELECT value FROM setting WHERE name=?')
const PUT_SETTING = command(
  'INSERT INTO setting (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value',
)
export const DROP_SETTING = command('DELETE FROM setting WHERE name=?')

export function* setting(name: string): Steps<string | number | undefined> {
  return (yield* one(FIND_SETTING, [name]))?.value
}

export function* putSetting(name: string, value: string | number): Steps<void> {
  yield* run(PUT_SETTING, [name, value])
}
