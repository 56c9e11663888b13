/** Refuses operations that the store does not support, before a body is read, a thread is used, or anything is changed. */
import type { Operation } from '../contract/kernel/operation.ts'
import type { RawInput } from '../contract/kernel/validation.ts'
import { unsupported } from '../core/store-features.ts'
import type { Caller, EngineContext } from './context.ts'
import { refuseForbidden } from './teams/permissions.ts'

/** Throws ServiceError `store_unsupported`, but only if the caller may use the operation. */
export function refuseUnsupported(
  { store }: EngineContext,
  operation: Operation,
  input: RawInput,
  caller: Caller,
): void {
  const { needs } = operation
  const feature = typeof needs === 'function' ? needs(input.query) : needs
  if (!feature || !store.lacks(feature)) return
  refuseForbidden(operation, caller, input)
  throw unsupported(feature)
}
