/** How states, prices and results are written. */
import { words } from '../../parts/name.tsx'
import type { Tone } from '../../parts/small.tsx'

/** A price in USD; what is no number, such as N/A, stays. */
export function priceText(price: number | string | null): string {
  if (price === null) return '–'
  const value = Number(price)
  return Number.isFinite(value) ? value.toFixed(2) : String(price)
}

/** `collecting_sample.testkit.with_customer`: its first part. */
export const topOf = (status: string): string => status.slice(0, Math.max(0, status.indexOf('.')))

/** The last part of a status, in words. */
export const stateText = (status: string): string => words(status.slice(status.lastIndexOf('.') + 1))

const TONES: Readonly<Record<string, Tone>> = { completed: 'good', cancelled: 'neutral', failed: 'bad' }

/** By the first part of a status: a state on the way stands out from those at the end. */
export const toneOf = (status: string): Tone => TONES[topOf(status)] ?? 'accent'

const FLAGS: Readonly<Record<string, Tone>> = { normal: 'good', abnormal: 'warn', critical: 'bad' }

export const flagTone = (interpretation: string): Tone => FLAGS[interpretation] ?? 'neutral'
