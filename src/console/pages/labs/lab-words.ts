/** Formats lab states, prices, results and URLs. */
import { formatTitle } from '../../../catalogue/wording.ts'
import type { Tone } from '../../parts/small.tsx'

/** Returns a price in USD. A text that is not a number, such as N/A, is not changed. */
export function priceText(price: number | string | null): string {
  if (price === null) return '–'
  const value = Number(price)
  return Number.isFinite(value) ? value.toFixed(2) : String(price)
}

/** Returns the first part of a status: `collecting_sample` for `collecting_sample.testkit.with_customer`. */
export const firstStatusPart = (status: string): string => status.slice(0, Math.max(0, status.indexOf('.')))

/** Returns the last part of a status in words, such as "With customer". */
export const stateText = (status: string): string => formatTitle(status.slice(status.lastIndexOf('.') + 1))

const TONES: Readonly<Record<string, Tone>> = { completed: 'good', cancelled: 'neutral', failed: 'bad' }

/** Returns the tone of a status. States in progress and final states have different tones. */
export const statusTone = (status: string): Tone => TONES[firstStatusPart(status)] ?? 'accent'

const FLAGS: Readonly<Record<string, Tone>> = { normal: 'good', abnormal: 'warn', critical: 'bad' }

export const flagTone = (interpretation: string): Tone => FLAGS[interpretation] ?? 'neutral'

const OPENS: readonly string[] = ['test', 'lab_id', 'code']

/** Returns the URL of a catalogue list. A row adds its own item to the query. */
export const catalogueWith = (query: Readonly<Record<string, string>>): string =>
  `/console/labs?${new URLSearchParams(Object.entries(query).filter(([name]) => !OPENS.includes(name)))}`
