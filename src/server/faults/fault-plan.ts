/** Decides which faults hit a request. Each fault draws from its own random sequence, so that a seed determines which requests it hits. */
import { Stream } from '../../core/random.ts'
import type { Fault, FaultEffect, FaultRecord } from '../../store/fault.ts'

export const DEFAULT_FAULT_SEED = 'svc'

/** A fault that hits a request. */
export interface Hit {
  /** The fault's number in the store, or `serve-1` for the first fault on the command line. */
  readonly id: string
  readonly effect: FaultEffect
}

/** Paths that faults never hit, because operators need them to monitor the server and to remove faults. */
const NEVER_HIT = /^\/(?:healthz|readyz|metrics|svc\/v1\/faults)(?:\/|$)/
/** Prefix of the paths that tests use to control the engine. A fault hits them only if its pattern names them. */
const OPERATOR_PATHS = '/svc/'

interface Armed {
  readonly id: string
  readonly fault: Fault
  readonly isFor: (path: string) => boolean
  readonly draws: Stream
  hits: number
}

/** Returns whether no fault ever hits a path. */
export function isNeverHit(path: string): boolean {
  return NEVER_HIT.test(path)
}

export class FaultPlan {
  private readonly seed: string
  private readonly ofServer: readonly Armed[]
  private ofStore: Armed[] = []
  private known: readonly FaultRecord[] = []

  /** `faults` come from the command line. `seed` applies to every fault without its own seed. */
  constructor(faults: readonly Fault[], seed: string) {
    this.seed = seed
    this.ofServer = faults.map((fault, i) => this.arm(`serve-${i + 1}`, fault))
  }

  /** Returns the faults that hit a request. `path` is the path as sent, without the query; `kept` contains the faults in the store. */
  hits(method: string, path: string, kept: readonly FaultRecord[]): readonly Hit[] {
    if (kept !== this.known) this.learn(kept)
    if (this.ofServer.length === 0 && this.ofStore.length === 0) return NONE
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
    if (isNeverHit(plain)) return NONE
    return [...this.ofServer, ...this.ofStore].flatMap(armed => (isHit(armed, method, plain) ? toHit(armed) : []))
  }

  /** Adds new faults from the store. Known faults continue their sequences. */
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

/**
 * Returns whether a fault hits a request. Every request that the fault could hit draws one number from the fault's sequence, whether or not
 * other faults hit the request.
 */
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

function toHit({ id, fault }: Armed): Hit {
  return { id, effect: fault.effect }
}

/** Formats a fault for the log: `GET /v2/timeseries/* = 503 (0.2)`. */
export function faultText({ method, path, effect, probability }: Fault): string {
  return `${method ?? '*'} ${path} = ${effectText(effect)} (${probability})`
}

/** `503`, `200ms`, `drop` or `cut`. */
export function effectText(effect: FaultEffect): string {
  if (effect.kind === 'status') return String(effect.status)
  return effect.kind === 'latency' ? `${effect.delayMs}ms` : effect.kind
}

/**
 * Pattern steps that are not a literal character: one character except a slash, any number of characters except slashes, or any number of
 * any characters.
 */
const OF_SEGMENT = -1
const SEGMENT_ON = -2
const ANY = -3
const SLASH = 47

/**
 * Returns a function that checks whether a path matches the pattern. Its running time depends only on the lengths of path and pattern:
 * anyone may send a long path, and a regular expression with several stars would try every way to divide it.
 */
function pathMatcher(pattern: string): (path: string) => boolean {
  const steps = pattern.split(/(\*+|\{\w+\})/).flatMap(part => {
    if (part.startsWith('*')) return [ANY]
    return /^\{\w+\}$/.test(part) ? [OF_SEGMENT, SEGMENT_ON] : Array.from(part, (_, i) => part.charCodeAt(i))
  })
  return path => {
    // for each number of steps, whether that many steps can match the part of the path read so far
    let states = new Uint8Array(steps.length + 1)
    let next = new Uint8Array(steps.length + 1)
    states[0] = 1
    skip(steps, states)
    for (let i = 0; i < path.length; i++) {
      next.fill(0)
      read(steps, states, next, path.charCodeAt(i))
      skip(steps, next)
      ;[states, next] = [next, states]
    }
    return states[steps.length] === 1
  }
}

/** Skips steps that can match an empty text. */
function skip(steps: readonly number[], states: Uint8Array): void {
  for (const [i, step] of steps.entries()) if (states[i] === 1 && step < OF_SEGMENT) states[i + 1] = 1
}

function read(steps: readonly number[], states: Uint8Array, next: Uint8Array, code: number): void {
  for (let i = 0; i < steps.length; i++) {
    if (states[i] === 0) continue
    const step = steps[i]
    if (step === ANY || (step === SEGMENT_ON && code !== SLASH)) next[i] = 1
    else if (step === code || (step === OF_SEGMENT && code !== SLASH)) next[i + 1] = 1
  }
}
