/**
 * Checks permissions: only operators can access other teams, closed-beta features are enabled for each team, and a person's role decides
 * which operations the person may use.
 */
import type { Role } from '../../catalogue/roles.ts'
import type { Operation } from '../../contract/kernel/operation.ts'
import type { RawInput } from '../../contract/kernel/validation.ts'
import { type OperationId, operationIds, operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { isAudited } from '../audit/audit.ts'
import type { Caller } from '../context.ts'

type Query = Pick<RawInput, 'query'>

/** Throws ServiceError 403 `role_not_allowed`, `operator_only` or `feature_disabled`. See docs/interface/errors.md#errors-3. */
export function refuseForbidden(operation: Operation, { team, isOperator, role }: Caller, input: Query): void {
  const { reach, beta } = operation
  if (role !== undefined && !allows(role, operation, input)) {
    throw new ServiceError('role_not_allowed', `The role ${role} does not allow this operation.`, {
      suggestions: ['Ask an owner for another role: svc engine person set NAME --role ROLE'],
    })
  }
  if (reach === 'service' && !isOperator) {
    const message = "This operation needs an operator's API key, because it affects all teams or the store itself."
    throw new ServiceError('operator_only', message)
  }
  if (beta !== undefined && team !== null && !team.betas[beta]) {
    const message = `The closed-beta feature ${beta} is switched off for this team.`
    const remedy = `An operator can switch it on: svc engine team set NAME --beta ${beta.replaceAll('_', '-')}=on`
    throw new ServiceError('feature_disabled', message, { suggestions: [remedy] })
  }
}

/** Returns the operations that a caller may never use, whatever the input. */
export function forbiddenOperations({ role, isOperator }: Pick<Caller, 'role' | 'isOperator'>): OperationId[] {
  return operationIds.filter(id => {
    const operation: Operation = operations[id]
    return (operation.reach === 'service' && !isOperator) || (role !== undefined && !allows(role, operation, ANY))
  })
}

const ANY: Query = { query: {} }

/** Returns whether a role may use an operation. Readers only read, and only about their team; they may not cause changes. */
function allows(role: Role, operation: Operation, input: Query): boolean {
  if (role === 'owner') return true
  if (role === 'operator') return operation.managesAccess !== true
  if (operation.reach === 'service' || isAudited(operation, input)) return false
  return role === 'reader' || hasNoHealthData(operation, input)
}

function hasNoHealthData({ hasNoHealthData: has = false }: Operation, { query }: Query): boolean {
  return typeof has === 'function' ? has(query) : has
}
