/** Stores all of a user's health insurances, and returns the latest one. See docs/interface/users.md#users-23. */
import { PAYORS } from '../../catalogue/labs/payors.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser, requirePast } from './users.ts'

type Insurance = ReplyBody<Operations['user.insurance']>

const NO_ADDRESS = { first_line: '', city: '', state: '', zip: '', country: '' }

export const addInsurance: Handler<'user.add_insurance'> = async (engine, { params, body }, call) => {
  requirePast(body.insured.dob, ['body', 'insured', 'dob'], call.now)
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const insurance: Insurance = {
    ...body,
    group_id: body.group_id ?? null,
    guarantor: body.guarantor ?? null,
    company: payorCompany(body.payor_code),
  }
  return call.settle(
    () => engine.store.profiles.addInsurance(user.userId, insurance, body.is_primary, call.now),
    () => ok(insurance),
  )
}

export const latestInsurance: Handler<'user.insurance'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const insurance = await engine.store.profiles.latestInsurance(user.userId, query.is_primary ?? null)
  if (insurance === null) {
    throw new ServiceError('not_found', 'User insurance not found', {
      suggestions: ['Add one: svc user set-insurance USER'],
    })
  }
  // validated when it was set
  return ok(insurance as Insurance)
}

/** Returns the insurer for a payor code. A code that does not exist in the sandbox is accepted unchanged. */
function payorCompany(payorCode: string): Insurance['company'] {
  const payor = PAYORS[payorCode]
  const { zip, ...address } = payor?.address ?? NO_ADDRESS
  return {
    name: payor?.name ?? payorCode,
    address: { ...address, second_line: '', zip, zip_code: zip, access_notes: null },
  }
}
