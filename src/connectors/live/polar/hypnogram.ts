/** Polar's stages of a night, which are given by the time of day at which each begins. */
import type { EpochMs } from '../../../core/time.ts'
import { asObject } from '../../files/json/fields.ts'
import type { StageSpan } from '../../shared/summaries.ts'
import type { LivePage } from '../page.ts'
import { STAGES } from './mapping.ts'
import { inNight, type PlacedTime, timeOfDayMs } from './times.ts'

/** Returns the stages of a night in order. Each lasts until the next begins, and the last until the end. */
export function stagesOf(hypnogram: unknown, start: PlacedTime, end: EpochMs, page: LivePage): readonly StageSpan[] {
  const begins: { readonly at: EpochMs; readonly stage: number }[] = []
  for (const [key, value] of Object.entries(asObject(hypnogram) ?? {})) {
    const clock = timeOfDayMs(key)
    const stage = Object.hasOwn(STAGES, String(value)) ? STAGES[String(value)] : undefined
    if (clock === undefined || stage === undefined) page.skip('sleep.hypnogram')
    else begins.push({ at: Math.max(start.at, inNight(start, clock)), stage })
  }
  begins.sort((a, b) => a.at - b.at)
  return begins.flatMap(({ at, stage }, i) => {
    const until = Math.min(begins[i + 1]?.at ?? end, end)
    return until > at ? [{ start: at, end: until, stage }] : []
  })
}
