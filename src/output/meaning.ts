/** Knows response columns by name: which ones contain bookkeeping times, and which ones show good or bad states. */
import type { Tone } from './tone.ts'

/** States of connections, deliveries, endpoints, orders, pulls, queries and results, and outcomes of calls. */
const TONES: ReadonlyMap<string, Tone> = new Map([
  ...toned(
    'good',
    'connected',
    'enabled',
    'active',
    'delivered',
    'ok',
    'success',
    'completed',
    'created',
    'normal',
    'yes',
  ),
  ...toned('busy', 'pending', 'waiting', 'failing', 'in_progress', 'retrying', 'scheduled', 'started', 'updated'),
  ...toned('busy', 'received', 'collecting_sample', 'sample_with_lab', 'abnormal', 'paused', 'partial_results'),
  ...toned('bad', 'error', 'dead', 'disabled', 'failed', 'failure', 'cancelled', 'critical', 'token_refresh_failed'),
  ...toned('faint', 'unchanged', 'inactive', 'unavailable', 'disconnected'),
])

function toned(tone: Tone, ...words: readonly string[]): (readonly [string, Tone])[] {
  return words.map(word => [word, tone])
}

const STATE = /^(state|status|outcome|interpretation|flag|used)$|^delivery( \d+)?$/
const ERROR = /^(error|error_.*|.*_error|problems?|target_problem|disabled_reason)$/
/** Counts that are bad, or that need attention, unless they are zero. */
const COUNTS: Readonly<Record<string, Tone>> = {
  dead: 'bad',
  failed: 'bad',
  pending: 'busy',
  waiting: 'busy',
  skipped: 'busy',
}

/** Returns whether a column contains states, which are never shortened. */
export function isState(name: string): boolean {
  return STATE.test(name)
}

/** Returns the tone of a cell in a column with this name. */
export function chooseTone(name: string, cell: unknown): Tone | undefined {
  if (name.endsWith(' before')) return 'faint'
  if (name.endsWith(' after')) return 'strong'
  if (typeof cell === 'number') return cell > 0 ? COUNTS[name] : undefined
  if (typeof cell !== 'string') return undefined
  if (ERROR.test(name)) return 'bad'
  if (!isState(name)) return undefined
  // an order's status has details after a dot, and an endpoint's status has a reason in brackets
  const [word = ''] = cell.split(/[.,: ]/, 1)
  return TONES.get(word) ?? (name === 'outcome' ? 'bad' : undefined)
}

/** Returns whether a column contains times of events in the service, unlike the times of samples, nights and days. */
export function isBookkeeping(name: string): boolean {
  return /(^|_)(at|on)$|^delivery\b/.test(name)
}
