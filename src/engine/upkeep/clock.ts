/** Reads and sets the engine's clock. It is part of the store, and every process reads it at every operation. */
import type { HandlerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { type ClockState, clockAt } from '../../core/clock.ts'
import { invalid } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import { type EpochMs, formatInstant, parseDuration, readInstant } from '../../core/time.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

/** The clock is limited to the years 1970 to 9999. Outside them, dates cannot be printed and chunks cannot be found. */
const LATEST_MS = Date.UTC(9999, 11, 31)

export const getClock: Handler<'clock.get'> = async engine => ok(await clockView(engine))

export const setClock: Handler<'clock.set'> = async (engine, { body }) => {
  // if two calls advance the clock concurrently, both take effect
  while (!(await moveClock(engine, body)));
  return ok(await clockView(engine))
}

/** Returns false if the clock has been moved in the meantime. */
async function moveClock(engine: EngineContext, body: Change): Promise<boolean> {
  const real = engine.time.now()
  const before = await engine.store.clock.read()
  const now = wantedNow(body, clockAt(before, real), real)
  if (now < 0 || now > LATEST_MS) {
    throw invalid([{ loc: ['body'], msg: 'the clock must stay between the years 1970 and 9999', type: 'value_error' }])
  }
  return engine.store.clock.set({ offsetMs: now - real, frozenAt: isToFreeze(body, before) ? now : null }, now, before)
}

type Change = HandlerInput<Operations['clock.set']>['body']

function wantedNow(change: Change, now: EpochMs, real: EpochMs): EpochMs {
  if ('set' in change) return present(readInstant(change.set), 'a date-time that the contract has checked')
  if ('advance' in change) return now + (parseDuration(change.advance) as number)
  return 'follow' in change ? real : now
}

/** Returns whether to freeze the clock. Moving the clock keeps this setting, unless the change specifies it. Real time cannot be frozen. */
function isToFreeze(change: Change, { frozenAt }: ClockState): boolean {
  if ('follow' in change) return false
  return change.freeze ?? frozenAt !== null
}

async function clockView(engine: EngineContext) {
  const state = await engine.store.clock.read()
  const real = engine.time.now()
  const now = clockAt(state, real)
  return { now: formatInstant(now), offset_seconds: (now - real) / 1000, frozen: state.frozenAt !== null }
}
