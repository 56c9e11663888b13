/** Delivers the webhooks of a data folder in this process, until nothing is due or nothing is left to deliver. */
import { ServiceError } from '../../core/errors.ts'
import type { StoreUrl } from '../../core/store-url.ts'
import { formatInstant } from '../../core/time.ts'
import { startDeliverer } from '../../delivery/deliverer.ts'
import { openEngine } from '../../engine/open.ts'

const LOOK_MS = 20
/** Time for finishing attempts after Ctrl-C. The process ends after 3 s in any case. */
const INTERRUPTED_MS = 1_500

export interface DeliveryRun {
  readonly dataDir: string
  /** The PostgreSQL store; null for the SQLite store in the data folder. Defaults to the value of SVC_STORE. */
  readonly store?: StoreUrl | null | undefined
  readonly version: string
  /** Whether to also wait for deliveries that are due later. */
  readonly waits: boolean
  /** Whether webhooks may be sent to private networks. Defaults to the value of SVC_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets: boolean | undefined
  /** `any` allows webhooks from every API key to be sent to this machine. Defaults to the value of SVC_ALLOW_LOOPBACK_TARGETS. */
  readonly loopbackTargets?: 'any' | undefined
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  /** Called when nothing is due now, with the time of the next attempt. */
  readonly onWait: (nextAt: string) => void
}

/** The report that `svc event deliver` prints. */
export interface DeliveryReport {
  readonly attempts: number
  readonly delivered: number
  /** Number of failed attempts that will be retried. */
  readonly failed: number
  /** Number of deliveries that were given up. */
  readonly dead: number
  /** Number of deliveries of all teams that are still pending. */
  readonly waiting: number
  /** Number of pending deliveries that other processes are making. */
  readonly elsewhere: number
  readonly next_attempt_at: string | null
}

/** Throws ServiceError `cancelled` when the signal is aborted; unfinished deliveries stay due. */
export async function runDeliveries(run: DeliveryRun): Promise<DeliveryReport> {
  const { dataDir, store, allowPrivateTargets, loopbackTargets, signal, version, log } = run
  const opened = await openEngine({
    dataDir,
    store,
    allowPrivateTargets,
    loopbackTargets,
    waitForLock: 'async',
    note: log,
  })
  try {
    const engine = opened.context
    const counts = { delivered: 0, failed: 0, dead: 0 }
    const deliverer = startDeliverer({ engine, version, log, onAttempt: result => counts[result]++ })
    let left = await deliverer.remaining()
    let waitsFor: number | null = null
    while (!signal.aborted && (left.underWay > 0 || left.isDue || (run.waits && isToCome(left)))) {
      if (left.underWay === 0 && !left.isDue && left.nextAt !== null && left.nextAt !== waitsFor) {
        waitsFor = left.nextAt
        run.onWait(formatInstant(waitsFor))
      }
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
      left = await deliverer.remaining()
    }
    await deliverer.stop(signal.aborted ? INTERRUPTED_MS : undefined)
    if (signal.aborted) {
      throw new ServiceError('cancelled', 'Cancelled. Unfinished deliveries stay due.', {
        suggestions: ['To continue, run `svc event deliver` again.'],
      })
    }
    const { waiting } = await engine.store.deliveries.figures()
    return {
      attempts: counts.delivered + counts.failed + counts.dead,
      ...counts,
      waiting,
      elsewhere: left.elsewhere,
      next_attempt_at: left.nextAt === null ? null : formatInstant(left.nextAt),
    }
  } finally {
    await opened.close()
  }
}

function isToCome({ nextAt, elsewhere }: { readonly nextAt: number | null; readonly elsewhere: number }): boolean {
  return nextAt !== null || elsewhere > 0
}
