/** What a caller may do: operators alone reach beyond their team, and closed-beta features are switched team by team. */
import type { Operation } from '../../contract/kernel/operation.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Caller } from '../context.ts'

/** Throws ServiceError 403: `operator_only` or `feature_disabled` (interface-gaps 401 / 403). */
export function refuseForbidden({ reach, beta }: Operation, { team, isOperator }: Caller): void {
  if (reach === 'service' && !isOperator) {
    const message = 'This takes the API key of an operator: it is about all teams, or about the store itself.'
    throw new ServiceError('operator_only', message)
  }
  if (beta !== undefined && team !== null && !team.betas[beta]) {
    const message = `The closed-beta feature ${beta} is switched off for this team.`
    const remedy = `An operator switches it on: svc engine team set NAME --beta ${beta.replaceAll('_', '-')}=on`
    throw new ServiceError('feature_disabled', message, { suggestions: [remedy] })
  }
}
