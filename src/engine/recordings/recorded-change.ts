/** Builds a change's entry in a recording, and the engine for the change, with a frozen time and reproducible randomness. */
import { type RandomSource, seededRandom } from '../../core/random.ts'
import { type EpochMs, formatInstant } from '../../core/time.ts'
import type { EngineContext } from '../context.ts'

const CHANCE_BYTES = 32

/** A change that is added to the recording with its first write. */
export interface RecordedChange {
  readonly engine: EngineContext
  /** Returns the change's entry number, or null if it does not have one yet. */
  entry(): number | null
  /** Records the change's outcome. A change without a recorded outcome has succeeded. */
  ended(outcome: string): Promise<void>
}

export interface Change {
  /** The engine's time, for readers of the recording. */
  readonly now: EpochMs
  /** Real time when the change began. It does not advance during the change. */
  readonly real: EpochMs
  readonly line: Readonly<Record<string, unknown>>
  readonly upload?: string | null
  readonly withTeams?: boolean
}

/** Returns an engine whose writes are added to a recording. */
export function recordedChange(engine: EngineContext, recordingId: string, change: Change): RecordedChange {
  const chance = Buffer.from(engine.random.bytes(CHANCE_BYTES)).toString('base64')
  const { store, entry } = engine.store.recording({
    recordingId,
    line: { at: formatInstant(change.now), real: change.real, chance, ...change.line },
    upload: change.upload ?? null,
    withTeams: change.withTeams ?? false,
  })
  return {
    engine: { ...engine, store, ...repeatableMoment(engine, change.real, chance) },
    entry,
    async ended(outcome) {
      const of = entry()
      if (of !== null) await engine.store.recordings.append(recordingId, { of, outcome })
    },
  }
}

/** Returns a change's time and randomness, which are the same when it is recorded and when it is replayed. */
export function repeatableMoment(
  engine: Pick<EngineContext, 'time'>,
  real: EpochMs,
  chance: string,
): { readonly time: EngineContext['time']; readonly random: RandomSource } {
  const elapsed = (): number => engine.time.elapsed?.() ?? engine.time.now()
  return { time: { now: () => real, elapsed }, random: seededRandom(chance) }
}
