/** Decides which faults hit a request: each matching one draws from a sequence of its own, so that a seed tells what happens. */
import { Stream } from '../../core/random.ts'
import type { Fault, FaultEffect, FaultRecord } from '../../store/fault.ts'

export const DEFAULT_FAULT_SEED = 'svc'

/** A fault that hits a request. */
export interface Hit {
  /** Its number in the store, or `serve-1` for the first one of the command line. */
  readonly id: string
  readonly effect: FaultEffect
}

/** Whoever looks after a server must be able to, whatever it was told to do wrong. */
const NEVER_HIT = /^\/(?:healthz|readyz|metrics|svc\/v1\/faults)(?:\/|$)/
/** What tests steer the engine by is hit only when it is meant. */
const OPERATOR_PATHS = '/svc/'

interface Armed {
  readonly id: string
  readonly fault: Fault
  readonly isFor: (path: string) => boolean
  readonly draws: Stream
  hits: number
}

export class FaultPlan {
  private readonly seed: string
  private readonly ofServer: readonly Armed[]
  private ofStore: Armed[] = []
  private known: readonly FaultRecord[] = []

  /** `faults` are those of the command line; `seed` is for all that have none of their own. */
  constructor(faults: readonly Fault[], seed: string) {
    this.seed = seed
    this.ofServer = faults.map((fault, i) => this.arm(`serve-${i + 1}`, fault))
  }

  /** `path` as it was sent, without the query. `kept` are the faults of the store. */
  hits(method: string, path: string, kept: readonly FaultRecord[]): readonly Hit[] {
    if (kept !== this.known) this.learn(kept)
    if (this.ofServer.length === 0 && this.ofStore.length === 0) return NONE
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
    if (NEVER_HIT.test(plain)) return NONE
    return [...this.ofServer, ...this.ofStore].flatMap(armed => (isHit(armed, method, plain) ? hitOf(armed) : []))
  }

  /** Those that were there go on where they are. */
  private learn(kept: readonly FaultRecord[]): void {
    const before = new Map(this.ofStore.map(armed => [armed.id, armed]))
    this.ofStore = kept.map(fault => before.get(String(fault.faultId)) ?? this.arm(String(fault.faultId), fault))
    this.known = kept
  }

  private arm(id: string, fault: Fault): Armed {
    const draws = new Stream('fault', fault.seed ?? this.seed, faultText(fault))
    return { id, fault, isFor: pathMatcher(fault.path), draws, hits: 0 }
  }
}

const NONE: readonly Hit[] = []

/** Each request that a fault could hit takes one number of its sequence, whether other faults hit it or not. */
function isHit(armed: Armed, method: string, path: string): boolean {
  const { fault, isFor, draws } = armed
  if (fault.method !== null && fault.method !== method) return false
  if (path.startsWith(OPERATOR_PATHS) && !fault.path.startsWith(OPERATOR_PATHS)) return false
  if (!isFor(path)) return false
  if (fault.times !== null && armed.hits >= fault.times) return false
  if (draws.next() >= fault.probability) return false
  armed.hits++
  return true
}

function hitOf({ id, fault }: Armed): Hit {
  return { id, effect: fault.effect }
}

/** `GET /v2/timeseries/* = 503 (0.2)`: as it stands in a log. */
export function faultText({ method, path, effect, probability }: Fault): string {
  return `${method ?? '*'} ${path} = ${effectText(effect)} (${probability})`
}

/** `503`, `200ms`, `drop` or `cut`. */
export function effectText(effect: FaultEffect): string {
  if (effect.kind === 'status') return String(effect.status)
  return effect.kind === 'latency' ? `${effect.delayMs}ms` : effect.kind
}

/** Steps of a pattern that are no character: one that is no slash, any number of those, any number of any. */
const OF_SEGMENT = -1
const SEGMENT_ON = -2
const ANY = -3
const SLASH = 47

/**
 * Whether a path is one that a pattern means, in time that grows with their lengths alone: anybody may send a long path, and a
 * regular expression with several stars would try every way to share it out.
 */
function pathMatcher(pattern: string): (path: string) => boolean {
  const steps = pattern.split(/(\*+|\{\w+\})/).flatMap(part => {
    if (part.startsWith('*')) return [ANY]
    return /^\{\w+\}$/.test(part) ? [OF_SEGMENT, SEGMENT_ON] : Array.from(part, (_, i) => part.charCodeAt(i))
  })
  return path => {
    // by number of steps: whether what was read of the path may be just these
    let places = new Uint8Array(steps.length + 1)
    let next = new Uint8Array(steps.length + 1)
    places[0] = 1
    skip(steps, places)
    for (let i = 0; i < path.length; i++) {
      next.fill(0)
      read(steps, places, next, path.charCodeAt(i))
      skip(steps, next)
      ;[places, next] = [next, places]
    }
    return places[steps.length] === 1
  }
}

/** Goes past steps that may take nothing. */
function skip(steps: readonly number[], places: Uint8Array): void {
  for (const [i, step] of steps.entries()) if (places[i] === 1 && step < OF_SEGMENT) places[i + 1] = 1
}

function read(steps: readonly number[], places: Uint8Array, next: Uint8Array, code: number): void {
  for (let i = 0; i < steps.length; i++) {
    if (places[i] === 0) continue
    const step = steps[i]
    if (step === ANY || (step === SEGMENT_ON && code !== SLASH)) next[i] = 1
    else if (step === code || (step === OF_SEGMENT && code !== SLASH)) next[i + 1] = 1
  }
}
