/** Faults as rows, which every server on the data folder reads. */
import type { EpochMs } from '../../core/time.ts'
import type { Fault, FaultEffect, FaultRecord, FaultStore } from '../fault.ts'
import type { Connection } from './connection.ts'
import { Part } from './part.ts'

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

export class SqliteFaults extends Part implements FaultStore {
  /** Read at every request: returns the same list as long as nothing has been committed. */
  list() {
    return this.db.read(() => this.db.remembered('faults', () => faults(this.db)))
  }

  add(fault: Fault, at: EpochMs, most: number) {
    return this.db.write(() => insertFault(this.db, fault, at, most))
  }

  clear(faultId: number | null) {
    return this.db.write(() =>
      faultId === null ? this.db.run('DELETE FROM fault') : this.db.run('DELETE FROM fault WHERE fault_id=?', faultId),
    )
  }
}

function faults(db: Connection): readonly FaultRecord[] {
  return db.all<FaultRow>('SELECT * FROM fault ORDER BY fault_id').map(row => ({
    faultId: row.fault_id,
    method: row.method,
    path: row.path,
    effect: effectOf(row),
    probability: row.probability,
    times: row.times,
    seed: row.seed,
    createdAt: row.created_at,
  }))
}

function effectOf({ kind, status, delay_ms: delayMs }: FaultRow): FaultEffect {
  if (kind === 'status') return { kind, status: status as number }
  return kind === 'latency' ? { kind, delayMs: delayMs as number } : { kind }
}

function insertFault(db: Connection, fault: Fault, at: EpochMs, most: number): FaultRecord | null {
  const { method, path, effect, probability, times, seed } = fault
  const { count } = db.get<{ count: number }>('SELECT count(*) AS count FROM fault') as { count: number }
  if (count >= most) return null
  db.run(
    `INSERT INTO fault (method, path, kind, status, delay_ms, probability, times, seed, created_at)
     VALUES (?,?,?,?,?,?,?,?,?)`,
    method,
    path,
    effect.kind,
    effect.kind === 'status' ? effect.status : null,
    effect.kind === 'latency' ? effect.delayMs : null,
    probability,
    times,
    seed,
    at,
  )
  const { last } = db.get<{ last: number }>('SELECT max(fault_id) AS last FROM fault') as { last: number }
  return { ...fault, faultId: last, createdAt: at }
}
