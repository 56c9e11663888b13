/** What a recording keeps of a change, and the engine that such a change runs on: time stands still in it, and chance can be repeated. */
import { type RandomSource, seededRandom } from '../../core/random.ts'
import { type EpochMs, formatInstant } from '../../core/time.ts'
import type { EngineContext } from '../context.ts'

const CHANCE_BYTES = 32

/** A change that goes onto the tape with its first write. */
export interface TapedChange {
  readonly engine: EngineContext
  /** Number of its entry, or null while it has none. */
  entry(): number | null
  /** Says on the tape that the change ended as `outcome`: what is not told has succeeded. */
  ended(outcome: string): Promise<void>
}

export interface Change {
  /** The engine's now, for who reads the recording. */
  readonly now: EpochMs
  /** Real time when it began; it stays for all of it. */
  readonly real: EpochMs
  readonly line: Readonly<Record<string, unknown>>
  readonly upload?: string | null
  readonly withTeams?: boolean
}

/** The same engine on the tape of a recording. */
export function taped(engine: EngineContext, recordingId: string, change: Change): TapedChange {
  const chance = Buffer.from(engine.random.bytes(CHANCE_BYTES)).toString('base64')
  const { store, entry } = engine.store.taping({
    recordingId,
    line: { at: formatInstant(change.now), real: change.real, chance, ...change.line },
    upload: change.upload ?? null,
    withTeams: change.withTeams ?? false,
  })
  return {
    engine: { ...engine, store, ...momentOf(engine, change.real, chance) },
    entry,
    async ended(outcome) {
      const of = entry()
      if (of !== null) await engine.store.tape.append(recordingId, { of, outcome })
    },
  }
}

/** Time and chance as they were in a change: the same for its recording and its replay. */
export function momentOf(
  engine: Pick<EngineContext, 'time'>,
  real: EpochMs,
  chance: string,
): { readonly time: EngineContext['time']; readonly random: RandomSource } {
  const elapsed = (): number => engine.time.elapsed?.() ?? engine.time.now()
  return { time: { now: () => real, elapsed }, random: seededRandom(chance) }
}
