/** Parses a fault from the command line: `GET /v2/timeseries/*=503:0.2`. */
import {
  FAULT_METHODS,
  LEAST_FAULT_STATUS,
  MOST_FAULT_LATENCY_MS,
  MOST_FAULT_STATUS,
} from '../../contract/engine/fault.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Fault, FaultEffect } from '../../store/fault.ts'

/** The format, as help texts show it. */
export const FAULT_SPEC = '[[METHOD] PATH=]EFFECT[:PROBABILITY]'

type FaultMethod = (typeof FAULT_METHODS)[number]
/** A fault with a valid method. */
export type WrittenFault = Fault & { readonly method: FaultMethod | null }
type FaultExtras = { readonly times: number | null; readonly seed: string | null }

/** Matches method, path, effect and probability; only the effect is required. */
const SPEC = /^(?:(?:([A-Za-z]+|\*)\s+)?(\/\S*)=)?([^\s=:]+)(?::(\S+))?$/
const LATENCY = /^(\d{1,9})(ms|s)$/

/** Throws ServiceError `usage`; `flag` is the flag that the text came from. */
export function parseFault(text: string, flag: string): WrittenFault {
  const [, method, path = '/*', effect, probability] = SPEC.exec(text.trim()) ?? []
  if (effect === undefined) throw wrong(flag, `a text of ${text.length} characters does not match ${FAULT_SPEC}.`)
  return {
    method: parseMethod(method, flag),
    path,
    effect: parseEffect(effect, flag),
    probability: parseProbability(probability, flag),
    times: null,
    seed: null,
  }
}

/** Like `parseFault`, but only for delays. */
export function parseLatency(text: string, flag: string): WrittenFault {
  const fault = parseFault(text, flag)
  if (fault.effect.kind === 'latency') return fault
  throw wrong(flag, `the effect must be a delay such as 200ms or 2s, as in 200ms:0.1 or 'GET /v2/user/*=2s'.`)
}

/** Returns the fault in the form that the operation `fault.add` accepts. */
export function faultBody({ method, path, effect, probability }: WrittenFault, more: FaultExtras) {
  const shared = { method, path, probability, ...more }
  switch (effect.kind) {
    case 'status':
      return { ...shared, effect: effect.kind, status: effect.status }
    case 'latency':
      return { ...shared, effect: effect.kind, latency_ms: effect.delayMs }
    default:
      return { ...shared, effect: effect.kind }
  }
}

function parseMethod(method: string | undefined, flag: string): FaultMethod | null {
  if (method === undefined || method === '*') return null
  const known = FAULT_METHODS.find(each => each === method.toUpperCase())
  if (known) return known
  throw wrong(flag, `the method must be one of ${FAULT_METHODS.join(', ')}, or * for all methods.`)
}

function parseEffect(effect: string, flag: string): FaultEffect {
  if (effect === 'drop' || effect === 'cut') return { kind: effect }
  if (/^\d{3}$/.test(effect)) {
    const status = Number(effect)
    if (status >= LEAST_FAULT_STATUS && status <= MOST_FAULT_STATUS) return { kind: 'status', status }
  }
  const [, count, unit] = LATENCY.exec(effect) ?? []
  const delayMs = Number(count) * (unit === 's' ? 1_000 : 1)
  if (delayMs >= 1 && delayMs <= MOST_FAULT_LATENCY_MS) return { kind: 'latency', delayMs }
  throw wrong(
    flag,
    `the effect must be a status from ${LEAST_FAULT_STATUS} to ${MOST_FAULT_STATUS}, a delay such as 200ms or 2s ` +
      `(at most ${MOST_FAULT_LATENCY_MS / 1_000} s), drop or cut.`,
  )
}

function parseProbability(text: string | undefined, flag: string): number {
  if (text === undefined) return 1
  const probability = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (probability > 0 && probability <= 1) return probability
  throw wrong(flag, `the probability must be greater than 0 and at most 1, such as 0.2.`)
}

function wrong(flag: string, message: string): ServiceError {
  return new ServiceError('usage', `${flag}: ${message}`, {
    suggestions: [`Examples: 'GET /v2/timeseries/*=503:0.2', '* /v2/user=drop', 200ms:0.1`],
  })
}
