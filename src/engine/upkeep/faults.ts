/** Manages faults for the servers on the data folder. Faults are kept in the store, so that all servers notice them immediately. */
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import type { Fault, FaultEffect, FaultRecord } from '../../store/fault.ts'
import { type Handler, ok } from '../context.ts'

/** Maximum number of faults, because each one is checked for every request. */
const MOST_FAULTS = 100

export const addFault: Handler<'fault.add'> = async (engine, { body }, call) => {
  return call.settle(
    () => engine.store.faults.add(toFault(body), call.now, MOST_FAULTS),
    added => {
      if (added === null) {
        throw new ServiceError('conflict', `There are already ${MOST_FAULTS} faults, which is the maximum.`, {
          suggestions: ['Clear some: svc engine fault clear'],
        })
      }
      call.about('fault_id', String(added.faultId))
      return ok(faultView(added))
    },
  )
}

export const listFaults: Handler<'fault.list'> = async engine =>
  ok({ faults: (await engine.store.faults.list()).map(faultView) })

export const clearFaults: Handler<'fault.clear'> = async (engine, { query }) =>
  ok({ cleared: await engine.store.faults.clear(query.fault_id ?? null) })

type NewFault = HandlerInput<Operations['fault.add']>['body']

function toFault(body: NewFault): Fault {
  const { method, path, probability, times, seed } = body
  return { method, path, effect: toEffect(body), probability, times, seed }
}

function toEffect(body: NewFault): FaultEffect {
  switch (body.effect) {
    case 'status':
      return { kind: 'status', status: body.status }
    case 'latency':
      return { kind: 'latency', delayMs: body.latency_ms }
    default:
      return { kind: body.effect }
  }
}

function faultView({ faultId, effect, createdAt, ...rest }: FaultRecord): ReplyBody<Operations['fault.add']> {
  const { method, path, probability, times, seed } = rest
  return {
    fault_id: faultId,
    method,
    path,
    effect: effect.kind,
    status: effect.kind === 'status' ? effect.status : null,
    latency_ms: effect.kind === 'latency' ? effect.delayMs : null,
    probability,
    times,
    seed,
    created_at: formatInstant(createdAt),
  }
}
