/** Stores faults as rows, which are read by every server on the data folder. */
import type { EpochMs } from '../../core/time.ts'
import type { Fault, FaultEffect, FaultRecord } from '../fault.ts'
import { part, read, write } from './part.ts'
import { command, many, one, query, remembered, run, type Steps } from './steps.ts'

interface FaultRow {
  readonly fault_id: number
  readonly method: string | null
  readonly path: string
  readonly kind: FaultEffect['kind']
  readonly status: number | null
  readonly delay_ms: number | null
  readonly probability: number
  readonly times: number | null
  readonly seed: string | null
  readonly created_at: number
}

const ALL_FAULTS = query<FaultRow>('SELECT * FROM fault ORDER BY fault_id')
const COUNT_FAULTS = query<{ readonly count: number }>('SELECT count(*) AS count FROM fault')
const LAST_FAULT = query<{ readonly last: number }>('SELECT max(fault_id) AS last FROM fault')
const ADD_FAULT = command(
  `INSERT INTO fault (method, path, kind, status, delay_ms, probability, times, seed, created_at)
   VALUES (?,?,?,?,?,?,?,?,?)`,
)
const CLEAR_FAULTS = command('DELETE FROM fault')
const CLEAR_FAULT = command('DELETE FROM fault WHERE fault_id=?')

export class FaultStore extends part({
  /** Returns the faults. Called for every request, so it returns the same list as long as nothing has been committed. */
  list: read(() => remembered('faults', faults)),
  add: write(insertFault),
  /** Removes one fault, or all faults (null). Returns the number of removed faults. */
  clear: write((faultId: number | null) => (faultId === null ? run(CLEAR_FAULTS) : run(CLEAR_FAULT, [faultId]))),
}) {}

/** Returns the faults in the order in which they were added. */
function* faults(): Steps<readonly FaultRecord[]> {
  return (yield* many(ALL_FAULTS)).map(row => ({
    faultId: row.fault_id,
    method: row.method,
    path: row.path,
    effect: toEffect(row),
    probability: row.probability,
    times: row.times,
    seed: row.seed,
    createdAt: row.created_at,
  }))
}

function toEffect({ kind, status, delay_ms: delayMs }: FaultRow): FaultEffect {
  if (kind === 'status') return { kind, status: status as number }
  return kind === 'latency' ? { kind, delayMs: delayMs as number } : { kind }
}

/** Adds a fault. Returns null if there are already `most` faults. */
function* insertFault(fault: Fault, at: EpochMs, most: number): Steps<FaultRecord | null> {
  const { method, path, effect, probability, times, seed } = fault
  const counted = yield* one(COUNT_FAULTS)
  if ((counted?.count ?? 0) >= most) return null
  yield* run(ADD_FAULT, [
    method,
    path,
    effect.kind,
    effect.kind === 'status' ? effect.status : null,
    effect.kind === 'latency' ? effect.delayMs : null,
    probability,
    times,
    seed,
    at,
  ])
  const last = yield* one(LAST_FAULT)
  return { ...fault, faultId: last?.last ?? 0, createdAt: at }
}
