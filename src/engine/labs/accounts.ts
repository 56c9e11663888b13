/** Finds lab accounts: which teams may use them, and which markers they make available. See docs/interface/labs.md#labs-5. */
import { allowedAccounts, type LabAccount } from '../../catalogue/labs/lab-accounts.ts'
import { LABS, type Lab } from '../../catalogue/labs/labs.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Handler, ok } from '../context.ts'

/** Returns a team's account. Throws 404 for an unknown account or an account of another team. */
export function accountNamed(teamId: string, id: string): LabAccount {
  const account = allowedAccounts(teamId).find(each => each.id === id.toLowerCase())
  if (!account) throw new ServiceError('not_found', 'Lab account not found')
  return account
}

/** Returns a lab from the catalogue. Accounts, tests and orders refer only to these labs. */
export function labWithId(id: number): Lab {
  const lab = LABS.find(each => each.id === id)
  if (!lab) throw new Error(`the catalogue refers to lab ${id}, but does not contain it`)
  return lab
}

export const listLabAccounts: Handler<'labs.accounts'> = async (_engine, { query }, call) => {
  const wanted = allowedAccounts(call.team.teamId).filter(
    each =>
      (query.lab_account_id === undefined || each.id === query.lab_account_id.toLowerCase()) &&
      (query.status === undefined || each.status === query.status),
  )
  return ok({ data: wanted.map(accountView) })
}

function accountView(account: LabAccount): ReplyBody<Operations['labs.accounts']>['data'][number] {
  return {
    id: account.id,
    lab: labWithId(account.labId).slug,
    org_id: account.orgId,
    status: account.status,
    delegated_flow: account.delegatedFlow,
    provider_account_id: account.providerAccountId,
    account_name: account.accountName,
    default_clinical_notes: account.defaultClinicalNotes,
    business_units: [...account.businessUnits],
    allowed_billing: [...account.allowedBilling],
    team_id_allowlist: [...account.teamIdAllowlist],
  }
}
