/** Polar's stages of a night, which are given by the time of day at which each begins. */
import type { EpochMs } from '../../../core/time.ts'
import { asObject } from '../../files/json/fields.ts'
import type { SleepStage } from '../summary-documents.ts'
import type { Unmapped } from '../unmapped.ts'
import { STAGES } from './mapping.ts'
import { inNight, type PlacedTime, timeOfDayMs } from './times.ts'

/** Returns the stages of a night in order, neighbours of the same stage as one. Each lasts until the next, and the last until the end. */
export function stagesOf(
  hypnogram: unknown,
  start: PlacedTime,
  end: EpochMs,
  unmapped: Unmapped,
): readonly SleepStage[] {
  const begins: { readonly at: EpochMs; readonly stage: number }[] = []
  for (const [key, value] of Object.entries(asObject(hypnogram) ?? {})) {
    const clock = timeOfDayMs(key)
    const stage = STAGES[String(value)]
    if (clock === undefined || stage === undefined) unmapped.count('sleep.hypnogram')
    else begins.push({ at: Math.max(start.at, inNight(start, clock)), stage })
  }
  begins.sort((a, b) => a.at - b.at)
  const stages: SleepStage[] = []
  for (const [i, { at, stage }] of begins.entries()) {
    const until = Math.min(begins[i + 1]?.at ?? end, end)
    if (until <= at) continue
    const before = stages.at(-1)
    if (before?.stage === stage && before.end === at) stages[stages.length - 1] = { ...before, end: until }
    else stages.push({ start: at, end: until, stage })
  }
  return stages
}
