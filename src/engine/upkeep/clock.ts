/** The engine's clock, kept in the store and read by every process at every operation (design 9). */
import { invalid } from '../../core/errors.ts'
import { formatInstant, instantOf, type ParsedDateTime, parseDateTime, parseDuration } from '../../core/time.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

/** Years 1970 to 9999: outside them a date cannot be printed or a chunk be found. */
const LATEST_MS = Date.UTC(9999, 11, 31)

export const getClock: Handler<'clock.get'> = async engine => ok(await clockView(engine))

export const setClock: Handler<'clock.set'> = async (engine, { body }) => {
  const real = engine.time.now()
  const { offsetMs } = await engine.store.clock()
  const next =
    'set' in body
      ? instantOf(parseDateTime(body.set) as ParsedDateTime) - real
      : 'advance' in body
        ? offsetMs + (parseDuration(body.advance) as number)
        : 0
  if (real + next < 0 || real + next > LATEST_MS) {
    throw invalid([{ loc: ['body'], msg: 'the clock must stay between the years 1970 and 9999', type: 'value_error' }])
  }
  await engine.store.setClock({ offsetMs: next }, real + next)
  return ok(await clockView(engine))
}

async function clockView(engine: EngineContext) {
  const { offsetMs } = await engine.store.clock()
  return { now: formatInstant(engine.time.now() + offsetMs), offset_seconds: offsetMs / 1000 }
}
