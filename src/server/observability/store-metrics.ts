/** Prometheus metrics for the store: its due work, its files if it has any, and its database server if it has one. */
import type { Registry } from 'prom-client'
import type { EngineContext } from '../../engine/context.ts'
import { engineNow } from '../../engine/engine.ts'
import type { WireFigures } from '../../store/upkeep.ts'
import type { AddGauge } from './gauges.ts'

const MOST_JOBS = 1_000

/** Registers the metrics that apply to the store. */
export async function addStoreMetrics(engine: EngineContext, registry: Registry, gauge: AddGauge): Promise<void> {
  const { jobs, upkeep } = engine.store
  gauge('svc_due_jobs', `Number of due jobs, at most ${MOST_JOBS}`, async () => {
    const due = await jobs.due(await engineNow(engine), null, MOST_JOBS)
    return due.length
  })
  if (upkeep.fileSizes() !== null) {
    gauge('svc_database_bytes', 'Size of the database file', () => upkeep.fileSizes()?.fileBytes ?? 0)
    gauge('svc_wal_bytes', 'Size of the write-ahead log of the database', () => upkeep.fileSizes()?.walBytes ?? 0)
  }
  if (upkeep.wire() !== null) await addWireMetrics(() => upkeep.wire() as WireFigures, registry) // the store does not change
}

async function addWireMetrics(wire: () => WireFigures, registry: Registry): Promise<void> {
  const { Counter, Gauge } = await import('prom-client')
  const registers = [registry]
  new Gauge({
    name: 'svc_store_connections',
    help: 'Open connections to PostgreSQL, by state: in_use or idle',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'in_use' }, wire().connectionsInUse)
      this.set({ state: 'idle' }, wire().connectionsIdle)
    },
  })
  new Gauge({
    name: 'svc_store_waiting',
    help: 'Transactions that are waiting for a free connection',
    registers,
    collect() {
      this.set(wire().waiting)
    },
  })
  new Gauge({
    name: 'svc_event_order_lag_seconds',
    help: "How long the oldest event has waited for its position in its team's order",
    registers,
    collect() {
      this.set(wire().eventOrderLagMs / 1000)
    },
  })
  const counter = (name: string, help: string, value: (figures: WireFigures) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value(wire()))
      },
    })
  counter('svc_store_round_trips_total', 'Round trips to PostgreSQL', ({ roundTrips }) => roundTrips)
  counter('svc_store_statements_total', 'Statements that were sent to PostgreSQL', ({ statements }) => statements)
  counter('svc_store_retries_total', 'Transactions that were run again', ({ retries }) => retries)
}
