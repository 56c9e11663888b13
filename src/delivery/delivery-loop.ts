/**
 * Delivers in ticks: stores outcomes, leases due deliveries, and sends them. Deliveries in progress are leased, so nothing is lost if the
 * process is killed.
 */
import type { ClockState } from '../core/clock.ts'
import { errorText } from '../core/error-text.ts'
import { randomToken } from '../core/random.ts'
import type { EngineContext } from '../engine/context.ts'
import { engineNow } from '../engine/engine.ts'
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  type DeliveryKey,
  type DeliveryTick,
  deliveryName,
  type KeptOutcomes,
} from '../store/delivery.ts'
import { type AttemptOptions, Attempts } from './attempt.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { EndpointQueues } from './endpoint-queues.ts'
import { Membership } from './membership.ts'
import type { Started } from './send-queue.ts'
import { Trouble } from './trouble.ts'
import { storedOutcomes, storeFailureReason, UnstoredOutcomes } from './unstored-outcomes.ts'

/** How long a lease stays valid if its process does not renew it. Processes renew their leases every few seconds. */
export const LEASE_MS = 15_000
/** Outcomes within this time are stored together. */
const GROUP_MS = 20
/** Interval at which an idle process looks for work. */
const LOOK_MS = 25
/** Interval at which a busy process looks for work at idle endpoints. */
const BUSY_LOOK_MS = 60
const REST_AFTER_TROUBLE_MS = 1_000
/** Maximum number of deliveries that one process leases at once. */
const MOST_HELD = 20_000
export type AttemptResult = 'delivered' | 'failed' | 'dead'

export interface DelivererOptions extends AttemptOptions {
  /** Called after the outcome of an attempt is stored. */
  readonly onAttempt?: (result: AttemptResult, ms: number) => void
  /** Called with an error that prevented a pass; returns true if the callee takes care of logging it. */
  readonly onError?: (error: unknown) => boolean
  /** Writes a line to the log. Lines contain no user IDs. */
  readonly log?: (line: string) => void
}

/** Remaining work, as seen by this process. */
export interface Remaining {
  /** This process's leased deliveries, and outcomes that are not stored yet. */
  readonly underWay: number
  readonly isDue: boolean
  /** When the next retry is due, by the engine's clock, or null. */
  readonly nextAt: number | null
  /** Deliveries leased by other processes. */
  readonly elsewhere: number
}

/** A process that delivers webhooks. */
export class DeliveryLoop {
  private readonly options: DelivererOptions
  private readonly engine: EngineContext
  private readonly attempts: Attempts
  private readonly queues = new EndpointQueues()
  private readonly membership: Membership
  private epoch: number | null = null
  /** The clock's value in the latest pass. */
  private clock: ClockState = { offsetMs: 0, frozenAt: null }
  private readonly outcomes = new UnstoredOutcomes()
  private isStopping = false
  private readonly trouble: Trouble
  /** Whether there is a user whose outcomes cannot be stored. */
  private isStuck = false
  /** Whether a pass failed. The store may then have leased deliveries that this process does not know about. */
  private isUnsure = false
  private lookedAt = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private ticking: Promise<void> = Promise.resolve()

  constructor(options: DelivererOptions) {
    this.options = options
    this.engine = options.engine
    this.attempts = new Attempts(options)
    this.trouble = new Trouble({ say: line => this.say(line), onError: options.onError })
    this.membership = new Membership(() => randomToken(this.engine.random).slice(0, 16))
  }

  begin(): void {
    this.schedule(0)
  }

  get underWay(): number {
    return this.queues.underWay
  }

  async remaining(): Promise<Remaining> {
    const before = this.inHand
    const [look, now] = await Promise.all([
      this.engine.store.deliveries.look(this.membership.id),
      engineNow(this.engine),
    ])
    const times = look.endpoints.flatMap(({ againAt }) => (againAt === null ? [] : [againAt]))
    const nextAt = times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b))
    return {
      underWay: Math.max(before, this.inHand),
      isDue: look.endpoints.some(({ hasFirst }) => hasFirst) || (nextAt !== null && nextAt <= now),
      nextAt,
      elsewhere: look.leasedElsewhere,
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.isStopping = true
    clearTimeout(this.timer)
    await this.ticking
    this.queues.drop()
    const deadline = performance.now() + graceMs
    while (this.underWay > 0 && performance.now() < deadline) await pause(GROUP_MS)
    // these requests may or may not have arrived, so they are sent again
    await this.attempts.cut()
    while (this.underWay > 0) await pause(1)
    await this.attempts.close()
    try {
      const { all } = this.outcomes
      const kept = await this.engine.store.deliveries.leave(this.membership.id, this.epoch ?? 0, all)
      this.announce(storedOutcomes(kept))
      for (const { result } of kept) if (result.kind === 'failed') throw result.error
    } catch (error) {
      this.say(
        `deliveries in progress will be sent again, because their outcomes could not be stored: ${storeFailureReason(error)}`,
      )
    }
  }

  /** Leased deliveries, and outcomes that are not stored yet. */
  private get inHand(): number {
    return this.queues.held + this.outcomes.size
  }

  private schedule(ms: number): void {
    if (this.isStopping) return
    this.timer = setTimeout(() => {
      this.ticking = this.step()
    }, ms)
    if (this.queues.held === 0) this.timer.unref()
  }

  private async step(): Promise<void> {
    let restMs = LOOK_MS
    try {
      await this.tick()
      this.trouble.end()
      if (this.outcomes.size > 0 || this.queues.held > 0) restMs = GROUP_MS
    } catch (error) {
      // if outcomes cannot be stored, nothing is sent
      this.trouble.begin(error)
      restMs = REST_AFTER_TROUBLE_MS
    }
    for (const queue of this.queues) this.pump(queue)
    this.schedule(restMs)
  }

  private async tick(): Promise<void> {
    const { deliveries, snapshots } = this.engine.store
    const epoch = await snapshots.epoch()
    if (epoch !== this.epoch) this.beginAgain(epoch)
    const now = await engineNow(this.engine)
    if (performance.now() - this.lookedAt >= (this.queues.held > 0 ? BUSY_LOOK_MS : LOOK_MS)) {
      const look = await deliveries.look(this.membership.id)
      this.membership.see(look, this.engine.time.now())
      for (const endpointId of this.queues.see(look, now)) this.attempts.forget(endpointId)
      this.lookedAt = performance.now()
    }
    const held = this.queues.held
    const requests = held >= MOST_HELD ? [] : this.queues.claimRequests()
    const realNow = this.engine.time.now()
    const isDue = this.outcomes.isDue(performance.now()) || requests.length > 0
    if (!isDue && !this.membership.needsTick(realNow, held)) return
    const outcomes = this.outcomes.take(performance.now())
    const { knownEvents } = this.attempts
    const leases = { delivererId: this.membership.id, epoch, realNow, aliveUntil: realNow + LEASE_MS, ...this.leases() }
    // requested together, so that the store can commit them in one transaction
    const [kept, ticked] = await Promise.all([
      deliveries.keep(epoch, outcomes),
      settled(deliveries.tick({ ...leases, now, outcomes, requests, knownEvents })),
    ])
    this.settle(kept, 'result' in ticked)
    if ('error' in ticked) {
      this.isUnsure = true
      throw ticked.error
    }
    this.isUnsure = false
    const { result } = ticked
    this.membership.recordTick(realNow)
    // the store's state was replaced, so these results are invalid
    if (result.isLost && (await snapshots.epoch()) !== epoch) return
    this.membership.isRegistered = true
    this.clock = result.clock
    this.attempts.add(result.events)
    for (const { endpointId, reason } of result.disabled) {
      this.queues.get(endpointId)?.drop()
      this.say(`webhook endpoint ${endpointId} is now disabled (${reason})`)
    }
    for (const claimed of result.claims) this.queues.get(claimed.endpointId)?.add(claimed)
    if (!result.isLost) return
    this.say('deliveries: other processes considered this one dead; it starts again under a new id')
    this.becomeAnother()
  }

  /** Returns the process's deliveries and outcomes, for one pass. */
  private leases(): Pick<DeliveryTick, 'holds' | 'holdsNothing' | 'knownLeases'> {
    const holds = this.queues.held + this.outcomes.resting
    const known = (): DeliveryKey[] => [...this.queues.items, ...this.outcomes.all]
    return {
      holds,
      holdsNothing: !this.membership.isRegistered || holds === 0,
      knownLeases: this.isUnsure ? new Set(known().map(deliveryName)) : null,
    }
  }

  private settle(kept: readonly KeptOutcomes[], isWorking: boolean): void {
    this.announce(this.outcomes.settle(kept, isWorking, performance.now()))
    const failure = kept.find(({ result }) => result.kind === 'failed')?.result
    if (isWorking && failure?.kind === 'failed' && !this.isStuck)
      this.say(
        `deliveries: the outcomes for a user cannot be stored yet, and will be retried: ${storeFailureReason(failure.error)}`,
      )
    this.isStuck = this.outcomes.resting > 0
  }

  /** Continues under a new ID and drops every lease whose attempt is not in progress. */
  private becomeAnother(): void {
    this.queues.drop()
    this.membership.becomeAnother()
  }

  /** Starts again after the store's whole state was replaced, because everything read before is invalid. */
  private beginAgain(epoch: number): void {
    if (this.epoch !== null) this.becomeAnother()
    this.outcomes.clear()
    this.attempts.clear()
    this.epoch = epoch
  }

  private pump(queue: EndpointQueue): void {
    if (this.isStopping || this.trouble.isOn) return
    for (;;) {
      const started = queue.start(performance.now())
      if (started === undefined) break
      void this.deliver(queue, started)
    }
    // a rate limit may require shorter waits than the interval between passes
    if (queue.pauseMs === 0 || queue.pauseMs >= GROUP_MS || queue.isPausing) return
    queue.isPausing = true
    setTimeout(() => {
      queue.isPausing = false
      this.pump(queue)
    }, queue.pauseMs).unref()
  }

  private async deliver(queue: EndpointQueue, started: Started<ClaimedDelivery>): Promise<void> {
    try {
      const { epoch, clock, membership } = this
      const made = await this.attempts.make({ delivererId: membership.id, clock, endpoint: queue.endpoint, started })
      // the store's state was replaced, so the outcome is invalid
      if (made !== null && epoch === this.epoch) this.outcomes.push(made.outcome)
      const nothing = `nothing is sent to webhook endpoint ${queue.endpoint.endpointId}`
      if (made?.refusal) queue.tell(`${nothing}: ${made.refusal}`, line => this.say(line))
      started.end()
    } catch (error) {
      // the endpoint did not cause this failure, so the delivery is retried soon
      queue.restUntil = performance.now() + REST_AFTER_TROUBLE_MS
      started.putBack()
      queue.tell(`deliveries to webhook endpoint ${queue.endpoint.endpointId} are paused: ${errorText(error)}`, line =>
        this.say(line),
      )
    }
    this.pump(queue)
  }

  private announce(outcomes: readonly AttemptOutcome[]): void {
    const { onAttempt } = this.options
    const { count } = this.engine
    for (const { after, attempt, endpointId: subject, teamId } of outcomes) {
      const result = after.kind === 'delivered' ? 'delivered' : after.kind === 'again' ? 'failed' : 'dead'
      onAttempt?.(result, attempt.ms)
      count?.({ teamId, name: result === 'delivered' ? 'delivered' : 'failed', subject, n: 1 })
      count?.({ teamId, name: 'delivery_ms', subject, n: Math.round(attempt.ms) })
      if (after.kind === 'exhausted') this.say(`webhook endpoint ${subject}: an event was given up: ${attempt.error}`)
    }
  }

  private say(line: string): void {
    this.options.log?.(line)
  }
}

function settled<T>(promise: Promise<T>): Promise<{ readonly result: T } | { readonly error: unknown }> {
  return promise.then(
    result => ({ result }),
    error => ({ error }),
  )
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
