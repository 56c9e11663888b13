/** Delivers the webhooks of a data folder in this process, until nothing is due, or nothing waits at all. */
import { ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import { startDeliverer } from '../../delivery/deliverer.ts'
import { openEngine } from '../../engine/open.ts'

const LOOK_MS = 20
/** The process ends 3 s after Ctrl-C in any case. */
const INTERRUPTED_MS = 1_500

export interface DeliveryRun {
  readonly dataDir: string
  readonly version: string
  /** Waits for what is due later, too. */
  readonly waits: boolean
  /** Absent: what SVC_ALLOW_PRIVATE_TARGETS says. */
  readonly allowPrivateTargets: boolean | undefined
  /** Absent: what SVC_ALLOW_LOOPBACK_TARGETS says. */
  readonly loopbackTargets?: 'any' | undefined
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  /** Told now and then while there is something to wait for alone. */
  readonly onWait: (nextAt: string) => void
}

/** What `svc event deliver` prints. */
export interface DeliveryReport {
  readonly attempts: number
  readonly delivered: number
  /** Attempts that failed and are made again later. */
  readonly failed: number
  /** Deliveries that were given up. */
  readonly dead: number
  /** Deliveries that are still to come, of all teams. */
  readonly waiting: number
  /** Those of them that other processes have in hand. */
  readonly elsewhere: number
  readonly next_attempt_at: string | null
}

/** Throws ServiceError `cancelled` at the signal; what was not finished stays due. */
export async function runDeliveries(run: DeliveryRun): Promise<DeliveryReport> {
  const { dataDir, allowPrivateTargets, loopbackTargets, signal, version, log } = run
  const opened = openEngine({ dataDir, allowPrivateTargets, loopbackTargets, waitForLock: 'async' })
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
      throw new ServiceError('cancelled', 'Cancelled: what was not delivered stays due.', {
        suggestions: ['Go on: svc event deliver'],
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
