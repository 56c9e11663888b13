/** Checks permissions: only operators can access other teams, and closed-beta features are enabled for each team. */
import type { Operation } from '../../contract/kernel/operation.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Caller } from '../context.ts'

/** Throws ServiceError 403 `operator_only` or `feature_disabled`. See docs/interface/errors.md#errors-3. */
export function refuseForbidden({ reach, beta }: Operation, { team, isOperator }: Caller): void {
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
