/** Delivers in turns: stores outcomes, leases what is due, sends. Leases hold what is under way, so a killed process loses nothing. */
import type { ClockState } from '../core/clock.ts'
import { errorText } from '../core/error-text.ts'
import { randomToken } from '../core/random.ts'
import type { EngineContext } from '../engine/context.ts'
import { engineNow } from '../engine/engine.ts'
import { type AttemptOutcome, type DeliveryLook, isOver } from '../store/delivery.ts'
import { type AttemptOptions, Attempts } from './attempt.ts'
import { EndpointQueue, type Started } from './endpoint-queue.ts'
import { Trouble } from './trouble.ts'

/** A lease becomes void when its process has not renewed it for this long. Processes renew every few seconds. */
export const LEASE_MS = 15_000
const RENEW_MS = 4_000
/** Outcomes that arrive within this time are stored together. */
const GROUP_MS = 20
/** How often an idle process looks for work. */
const LOOK_MS = 25
/** How often a busy process looks for work at endpoints that have none. */
const BUSY_LOOK_MS = 60
const REST_AFTER_TROUBLE_MS = 1_000
/** Most deliveries that one process leases at once. */
const MOST_HELD = 20_000
export type AttemptResult = 'delivered' | 'failed' | 'dead'

export interface DelivererOptions extends AttemptOptions {
  /** Called after the outcome of an attempt is stored. */
  readonly onAttempt?: (result: AttemptResult, ms: number) => void
  /** Called with an error that prevented a turn; returns true if the callee takes care of logging it. */
  readonly told?: (error: unknown) => boolean
  /** Writes a line to the log. Lines hold no ids of users. */
  readonly log?: (line: string) => void
}

/** What is left to do, as this process sees it. */
export interface Remaining {
  /** Deliveries that this process has leased, and outcomes that it has not stored yet. */
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
  private readonly queues = new Map<string, EndpointQueue>()
  private delivererId: string
  /** Whether the id is registered in the store, where other processes see it. */
  private isRegistered = false
  private epoch: number | null = null
  /** The clock as read in the latest turn. */
  private clock: ClockState = { offsetMs: 0, frozenAt: null }
  private readonly outcomes: AttemptOutcome[] = []
  /** Number of outcomes that are being stored. */
  private keeping = 0
  private isStopping = false
  private readonly trouble: Trouble
  private renewedAt = 0
  private othersUntil: readonly number[] = []
  private lookedAt = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private turning: Promise<void> = Promise.resolve()

  constructor(options: DelivererOptions) {
    this.options = options
    this.engine = options.engine
    this.attempts = new Attempts(options)
    this.trouble = new Trouble({ say: line => this.say(line), told: options.told })
    this.delivererId = this.newId()
  }

  begin(): void {
    this.schedule(0)
  }

  get underWay(): number {
    let sum = 0
    for (const queue of this.queues.values()) sum += queue.underWay
    return sum
  }

  async remaining(): Promise<Remaining> {
    const before = this.inHand
    const [look, now] = await Promise.all([this.engine.store.deliveries.look(this.delivererId), engineNow(this.engine)])
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
    await this.turning
    for (const queue of this.queues.values()) queue.drop()
    const deadline = performance.now() + graceMs
    while (this.underWay > 0 && performance.now() < deadline) await pause(GROUP_MS)
    // it is unknown whether these arrived, so they are sent again
    await this.attempts.cut()
    while (this.underWay > 0) await pause(1)
    await this.attempts.close()
    try {
      await this.engine.store.deliveries.leave(this.delivererId, this.epoch ?? 0, this.outcomes)
      this.announce(this.outcomes)
    } catch (error) {
      this.say(
        `deliveries: those under way will be sent again, because their outcomes could not be stored: ${errorText(error)}`,
      )
    }
  }

  /** Deliveries that are leased, and outcomes that are not stored yet. */
  private get inHand(): number {
    return this.held + this.outcomes.length + this.keeping
  }

  private get held(): number {
    let sum = 0
    for (const queue of this.queues.values()) sum += queue.held
    return sum
  }

  private schedule(ms: number): void {
    if (this.isStopping) return
    this.timer = setTimeout(() => {
      this.turning = this.step()
    }, ms)
    if (this.held === 0) this.timer.unref()
  }

  private async step(): Promise<void> {
    let restMs = LOOK_MS
    try {
      await this.turn()
      this.trouble.end()
      if (this.outcomes.length > 0 || this.held > 0) restMs = GROUP_MS
    } catch (error) {
      // if outcomes cannot be stored, nothing is sent
      this.trouble.begin(error)
      restMs = REST_AFTER_TROUBLE_MS
    }
    for (const queue of this.queues.values()) this.pump(queue)
    this.schedule(restMs)
  }

  private async turn(): Promise<void> {
    const { deliveries, snapshots } = this.engine.store
    const epoch = await snapshots.epoch()
    if (epoch !== this.epoch) this.beginAgain(epoch)
    const now = await engineNow(this.engine)
    if (performance.now() - this.lookedAt >= (this.held > 0 ? BUSY_LOOK_MS : LOOK_MS)) {
      this.see(await deliveries.look(this.delivererId), now)
      this.lookedAt = performance.now()
    }
    const held = this.held
    const requests = held >= MOST_HELD ? [] : [...this.queues.values()].flatMap(queue => queue.claimRequest() ?? [])
    const realNow = this.engine.time.now()
    // leases of a killed process stay until another process notices that it is dead
    const hasDead = this.othersUntil.some(until => isOver(until, realNow))
    const isLate = held > 0 && Math.abs(realNow - this.renewedAt) > RENEW_MS
    if (this.outcomes.length === 0 && requests.length === 0 && !isLate && !hasDead) return
    const outcomes = this.outcomes.splice(0)
    this.keeping = outcomes.length
    const aliveUntil = realNow + LEASE_MS
    const holdsNothing = !this.isRegistered || held === 0
    const { delivererId } = this
    const { knownEvents } = this.attempts
    const leases = { delivererId, epoch, realNow, aliveUntil, holdsNothing, holds: held }
    const result = await deliveries.turn({ ...leases, now, outcomes, requests, knownEvents }).catch(error => {
      this.outcomes.unshift(...outcomes)
      this.keeping = 0
      // the store may have leased deliveries that this process does not know of: under a new id, those leases lapse
      this.becomeAnother()
      throw error
    })
    this.keeping = 0
    this.renewedAt = realNow
    // after the state of the store was replaced, these results mean nothing
    if (result.isLost && (await snapshots.epoch()) !== epoch) return
    this.isRegistered = true
    this.clock = result.clock
    this.attempts.add(result.events)
    this.announce(outcomes)
    for (const { endpointId, reason } of result.disabled) {
      this.queues.get(endpointId)?.drop()
      this.say(`webhook endpoint ${endpointId} is now disabled (${reason})`)
    }
    for (const claimed of result.claims) this.queues.get(claimed.endpointId)?.add(claimed)
    if (!result.isLost) return
    this.say('deliveries: other processes took this one for dead; it starts over under a new id')
    this.becomeAnother()
  }

  /** Continues under a new id and drops every lease except those of attempts under way. */
  private becomeAnother(): void {
    for (const queue of this.queues.values()) queue.drop()
    this.delivererId = this.newId()
    this.isRegistered = false
  }

  /** Starts over after the whole state of the store was replaced: nothing that was read before is valid. */
  private beginAgain(epoch: number): void {
    if (this.epoch !== null) this.becomeAnother()
    this.outcomes.length = 0
    this.attempts.clear()
    this.epoch = epoch
  }

  /** Updates the queues to the current endpoints. */
  private see({ endpoints, othersUntil }: DeliveryLook, now: number): void {
    this.othersUntil = othersUntil
    const seen = new Set<string>()
    for (const { endpoint, hasFirst, againAt } of endpoints) {
      seen.add(endpoint.endpointId)
      let queue = this.queues.get(endpoint.endpointId)
      if (queue === undefined) {
        queue = new EndpointQueue(endpoint, performance.now())
        this.queues.set(endpoint.endpointId, queue)
      } else queue.update(endpoint, performance.now())
      if (hasFirst || (againAt !== null && againAt <= now)) queue.isExhausted = false
    }
    for (const [endpointId, queue] of this.queues) {
      if (seen.has(endpointId)) continue
      queue.drop()
      if (queue.underWay > 0) continue
      this.queues.delete(endpointId)
      this.attempts.forget(endpointId)
    }
  }

  private pump(queue: EndpointQueue): void {
    if (this.isStopping || this.trouble.isOn) return
    for (;;) {
      const started = queue.start(performance.now())
      if (started === undefined) break
      void this.deliver(queue, started)
    }
    // a rate limit may be finer than the interval between turns
    if (queue.pauseMs === 0 || queue.pauseMs >= GROUP_MS || queue.isPausing) return
    queue.isPausing = true
    setTimeout(() => {
      queue.isPausing = false
      this.pump(queue)
    }, queue.pauseMs).unref()
  }

  private async deliver(queue: EndpointQueue, started: Started): Promise<void> {
    try {
      const { epoch, delivererId, clock } = this
      const made = await this.attempts.make({ delivererId, clock, endpoint: queue.endpoint, started })
      // after the state of the store was replaced, the outcome means nothing
      if (made !== null && epoch === this.epoch) this.outcomes.push(made.outcome)
      const nothing = `nothing is sent to webhook endpoint ${queue.endpoint.endpointId}`
      if (made?.refusal) queue.tell(`${nothing}: ${made.refusal}`, line => this.say(line))
      started.end()
    } catch (error) {
      // the endpoint did not cause this: it is tried again in a moment
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
    for (const { after, attempt, endpointId } of outcomes) {
      const result = after.kind === 'delivered' ? 'delivered' : after.kind === 'again' ? 'failed' : 'dead'
      onAttempt?.(result, attempt.ms)
      if (after.kind === 'exhausted')
        this.say(`webhook endpoint ${endpointId}: an event was given up: ${attempt.error}`)
    }
  }

  private newId(): string {
    return randomToken(this.engine.random).slice(0, 16)
  }

  private say(line: string): void {
    this.options.log?.(line)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
