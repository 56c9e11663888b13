/**
 * The loop that delivers: in turns it keeps what attempts came to and leases what is due, and in between it sends. Any number of
 * processes may run one on a store; what is under way stands in leases, so that a process that is killed loses nothing.
 */
import type { ClockState } from '../core/clock.ts'
import { errorText } from '../core/error-text.ts'
import type { UserId } from '../core/ids.ts'
import { randomToken } from '../core/random.ts'
import type { EngineContext } from '../engine/context.ts'
import { engineNow } from '../engine/engine.ts'
import { type AttemptOutcome, type DeliveryLook, isOver } from '../store/delivery.ts'
import { type AttemptOptions, Attempts } from './attempt.ts'
import { EndpointQueue, type Started } from './endpoint-queue.ts'
import { Trouble } from './trouble.ts'

/** A lease is void when its process did not say for this long that it lives; it says so every few seconds. */
export const LEASE_MS = 15_000
const RENEW_MS = 4_000
/** Outcomes that come within this time are kept together. */
const GROUP_MS = 20
/** How often a process with nothing to do looks. */
const LOOK_MS = 25
/** The same while there is something to do, for endpoints that have nothing to do. */
const BUSY_LOOK_MS = 60
const REST_AFTER_TROUBLE_MS = 1_000
/** Leased to one process at once, whatever the number of endpoints. */
const MOST_HELD = 20_000

export type AttemptResult = 'delivered' | 'failed' | 'dead'

export interface DelivererOptions extends AttemptOptions {
  /** Told of each attempt once it is kept. */
  readonly onAttempt?: (result: AttemptResult, ms: number) => void
  /** Told of what kept a turn from being done; true: it sees to the log. */
  readonly told?: (error: unknown) => boolean
  /** A line for the log, without ids of users. */
  readonly log?: (line: string) => void
}

/** What is left to do, as this process sees it. */
export interface Remaining {
  /** Under way here, due now, or due later. */
  readonly underWay: number
  readonly isDue: boolean
  /** When the next attempt is due, by the engine's clock, or null. */
  readonly nextAt: number | null
  /** In the hands of other processes. */
  readonly elsewhere: number
}

/** A process that delivers. */
export class DeliveryLoop {
  private readonly options: DelivererOptions
  private readonly engine: EngineContext
  private readonly attempts: Attempts
  private readonly queues = new Map<string, EndpointQueue>()
  private delivererId: string
  /** Whether others know of the id. */
  private isRegistered = false
  private epoch: number | null = null
  /** As it was at the last turn. */
  private clock: ClockState = { offsetMs: 0, frozenAt: null }
  private readonly outcomes: AttemptOutcome[] = []
  /** Outcomes that are just being kept. */
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
    // nobody knows whether these arrived: they are sent again
    await this.attempts.cut()
    while (this.underWay > 0) await pause(1)
    await this.attempts.close()
    try {
      await this.engine.store.deliveries.leave(this.delivererId, this.epoch ?? 0, this.outcomes)
      this.announce(this.outcomes)
    } catch (error) {
      this.say(`deliveries: what was under way is sent again, because it could not be kept: ${errorText(error)}`)
    }
  }

  /** What is leased, and what came of leases and is not kept yet. */
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
      // what cannot be kept is not sent
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
    // what a killed process had leased waits for somebody to see that it is dead
    const hasDead = this.othersUntil.some(until => isOver(until, realNow))
    const isLate = held > 0 && Math.abs(realNow - this.renewedAt) > RENEW_MS
    if (this.outcomes.length === 0 && requests.length === 0 && !isLate && !hasDead) return
    const outcomes = this.outcomes.splice(0)
    this.keeping = outcomes.length
    const aliveUntil = realNow + LEASE_MS
    const holdsNothing = !this.isRegistered || held === 0
    const { delivererId } = this
    const holds = (): number => this.held + this.outcomes.length
    const wants = (userId: UserId, sequence: number): boolean => this.attempts.wants(userId, sequence)
    const turn = { delivererId, epoch, realNow, aliveUntil, holdsNothing, now, outcomes, requests, holds, wants }
    const result = await deliveries.turn(turn).catch(error => {
      this.outcomes.unshift(...outcomes)
      this.keeping = 0
      // what was leased may be known to nobody: under another id, that lapses
      this.becomeAnother()
      throw error
    })
    this.keeping = 0
    this.renewedAt = realNow
    // of another state of the store they say nothing
    if (result.isLost && (await snapshots.epoch()) !== epoch) return
    this.isRegistered = true
    this.clock = result.clock
    this.attempts.add(result.events)
    this.announce(outcomes)
    for (const { endpointId, reason } of result.disabled) {
      this.queues.get(endpointId)?.drop()
      this.say(`webhook endpoint ${endpointId} is disabled now (${reason})`)
    }
    for (const claimed of result.claims) this.queues.get(claimed.endpointId)?.add(claimed)
    if (!result.isLost) return
    this.say('deliveries: this process was taken for dead, and begins again')
    this.becomeAnother()
  }

  /** Goes on under a new id, with nothing leased but what is under way. */
  private becomeAnother(): void {
    for (const queue of this.queues.values()) queue.drop()
    this.delivererId = this.newId()
    this.isRegistered = false
  }

  /** The whole state of the store is another one: nothing that was read of the former holds. */
  private beginAgain(epoch: number): void {
    if (this.epoch !== null) this.becomeAnother()
    this.outcomes.length = 0
    this.attempts.clear()
    this.epoch = epoch
  }

  /** Takes on endpoints as they are now. */
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
    // a rate is finer than the turns
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
      // of another state of the store it says nothing
      if (made !== null && epoch === this.epoch) this.outcomes.push(made.outcome)
      const nothing = `nothing is sent to webhook endpoint ${queue.endpoint.endpointId}`
      if (made?.refusal) queue.tell(`${nothing}: ${made.refusal}`, line => this.say(line))
      started.end()
    } catch (error) {
      // nothing that the endpoint did: it is tried again in a moment
      queue.restUntil = performance.now() + REST_AFTER_TROUBLE_MS
      started.putBack()
      queue.tell(`deliveries to ${queue.endpoint.endpointId} rest: ${errorText(error)}`, line => this.say(line))
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
