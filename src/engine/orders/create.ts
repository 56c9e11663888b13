/** Places a lab order: its items, its patient, and its first states. See docs/interface/orders.md#orders-1. */
import { ORDERS_WITH_OWN_REQUISITION } from '../../catalogue/labs/lab-accounts.ts'
import { FIRST_STATUS, statusName } from '../../catalogue/labs/order-statuses.ts'
import type { OrderRequest } from '../../contract/orders/order-request.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { ownedId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import { DAY_MS, type EpochMs, formatDate, parseDate } from '../../core/time.ts'
import type { OrderDocument, OrderNotice, OrderRecord } from '../../store/order.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { chooseCollectionMethod, labTestOfSet, type ResolvedSet, resolveOrderSet } from '../labs/order-set.ts'
import { asLabTest } from '../labs/tests.ts'
import { activeUser } from '../users/users.ts'
import { moveAlong, ORDER_CREATED } from './advance.ts'
import { checkPatient, keptAddress, keptPatient } from './patient.ts'
import { type Ordered, orderedBy } from './state.ts'
import { orderView } from './view.ts'

/** Sandbox physician for an order without a physician. The identification number is not a real one. */
const NETWORK_PHYSICIAN = { first_name: 'Sandbox', last_name: 'Physician', npi: '1234567893' }

/** Maximum number of days ahead for which an order can be placed. */
const MOST_DAYS_AHEAD = 365

/** Places an order. Throws 404, 422 or 400 for items that cannot be ordered. */
export const createOrder: Handler<'order.create'> = async (engine, { body }, call) => {
  const { teamId } = call.team
  const user = await activeUser(engine, teamId, body.user_id)
  checkPatient(body.patient_details, call.now)
  const activateBy = checkDay(body.activate_by, call.now)
  const set = await resolveOrderSet(engine, teamId, requestedSet(body))
  checkAnswers(body, set)
  const billingType = checkBilling(body, set)
  const method = chooseCollectionMethod(set, body.collection_method)
  const { labTestId, made } = labTestOfSet(set, { teamId, method, now: call.now })
  const order: OrderRecord = {
    userId: user.userId,
    orderId: ownedId(user.userId, 'order', randomUuid(engine.random)),
    teamId,
    status: statusName(method, FIRST_STATUS),
    createdAt: call.now,
    updatedAt: call.now,
    result: null,
    rev: 0,
    document: {
      ...orderDocument(body, set),
      labTestId,
      method,
      billingType,
      activateBy,
      events: [{ id: 1, at: call.now, status: statusName(method, FIRST_STATUS), detail: null }],
      plan: null,
    },
  }
  const ordered: Ordered = made
    ? { labTest: asLabTest(made), markers: await allMarkers() }
    : await orderedBy(engine, order)
  const { record, notices } = begin(engine, order, ordered, { set, now: call.now })
  const answer = {
    order: orderView(engine, record, ordered, call.now),
    status: 'success',
    message: 'The order was placed.',
  }
  call.about('order_id', order.orderId)
  return call.settle(
    () => engine.store.orders.create({ order: record, notices, labTest: made }),
    outcome => {
      if (outcome === 'no_user') throw new ServiceError('user_not_found', 'User not found')
      return ok(answer)
    },
  )
}

const allMarkers = async (): Promise<Ordered['markers']> =>
  (await import('../../catalogue/labs/lab-tests.ts')).markersById()

/** Moves a new order into its first states. The requisition is created immediately or on the order's planned day. */
function begin(
  engine: EngineContext,
  order: OrderRecord,
  ordered: Ordered,
  { set, now }: { readonly set: ResolvedSet; readonly now: EpochMs },
): { readonly record: OrderRecord; readonly notices: readonly OrderNotice[] } {
  const { method, activateBy } = order.document
  const isOwn = set.account !== null && ORDERS_WITH_OWN_REQUISITION.includes(set.account.delegatedFlow)
  const status = statusName(method, isOwn ? 'requisition_bypassed' : 'requisition_created')
  const created: OrderNotice = {
    type: ORDER_CREATED,
    document: { ...orderView(engine, order, ordered, now) },
  }
  if (activateBy !== null && activateBy > formatDate(now)) {
    const plan = { statuses: [status], nextAt: parseDate(activateBy) as EpochMs, delayMs: 0, flags: {} }
    return { record: { ...order, document: { ...order.document, plan } }, notices: [created] }
  }
  const moved = moveAlong(engine, order, ordered, { steps: [{ status, at: now }], flags: {}, now })
  return { record: moved.record, notices: [created, ...moved.notices] }
}

/** Returns `order_set`, or the deprecated `lab_test_id` as a set with one item. Throws 422 unless exactly one of them is given. */
function requestedSet(body: OrderRequest) {
  const { order_set: set, lab_test_id: labTestId } = body
  if (set && labTestId) {
    const msg = 'must not be combined with order_set, which replaces it'
    throw invalid([{ loc: ['body', 'lab_test_id'], msg, type: 'value_error' }])
  }
  if (!set && !labTestId) {
    throw invalid([{ loc: ['body', 'order_set'], msg: 'Field required', type: 'missing' }])
  }
  return {
    set: set ?? { lab_test_ids: [labTestId as string] },
    accountId: body.lab_account_id,
    loc: ['body', 'order_set'],
  }
}

function orderDocument(
  body: OrderRequest,
  set: ResolvedSet,
): Omit<OrderDocument, 'labTestId' | 'method' | 'billingType' | 'activateBy' | 'events' | 'plan'> {
  const physician = body.physician ?? NETWORK_PHYSICIAN
  return {
    patient: keptPatient(body.patient_details),
    address: keptAddress(body.patient_address),
    labTestIds: set.labTests.map(each => each.id),
    markerIds: set.markers.map(each => each.id),
    labId: set.labId,
    labAccountId: set.account?.id ?? null,
    physician: { first_name: physician.first_name, last_name: physician.last_name, npi: physician.npi },
    healthInsurance: body.health_insurance ?? null,
    priority: body.priority,
    icdCodes: body.icd_codes ?? null,
    consents: body.consents ?? [],
    aoeAnswers: body.aoe_answers ?? [],
    passthrough: body.passthrough ?? null,
    notes: body.clinical_notes ?? set.account?.defaultClinicalNotes ?? null,
    interpretation: null,
    hasMissingResults: null,
  }
}

/** Throws 422 for a day in the past or too far ahead. */
function checkDay(day: string | null | undefined, now: EpochMs): string | null {
  if (!day) return null
  const isFine = day >= formatDate(now) && day <= formatDate(now + MOST_DAYS_AHEAD * DAY_MS)
  if (isFine) return day
  const msg = `must be today or within the next ${MOST_DAYS_AHEAD} days`
  throw invalid([{ loc: ['body', 'activate_by'], msg, type: 'value_error' }])
}

/** Returns the billing type. Throws 422 if insurance is missing, and 400 if the account does not support the billing type. */
function checkBilling(body: OrderRequest, set: ResolvedSet): string {
  const billing = body.billing_type ?? 'client_bill'
  if (billing === 'commercial_insurance' && !body.health_insurance) {
    const msg = 'is required for billing_type commercial_insurance'
    throw invalid([{ loc: ['body', 'health_insurance'], msg, type: 'missing' }])
  }
  if (set.account && !set.account.allowedBilling.includes(billing)) {
    const allowed = set.account.allowedBilling.join(', ')
    throw new ServiceError('bad_request', `The lab account does not have this billing type. Allowed: ${allowed}`)
  }
  return billing
}

/** Throws 422 for answers to questions that were not asked, and for missing answers to required questions. */
function checkAnswers(body: OrderRequest, set: ResolvedSet): void {
  const asked = set.markers.flatMap(
    each => each.aoe?.questions.map(question => ({ marker: each.id, ...question })) ?? [],
  )
  const answers = body.aoe_answers ?? []
  answers.forEach((answer, i) => {
    const question = asked.find(each => each.marker === answer.marker_id && each.id === answer.question_id)
    const loc = ['body', 'aoe_answers', i]
    if (!question)
      throw invalid([{ loc, msg: 'must answer a question that a marker of the order asks', type: 'value_error' }])
    const choices = question.answers.map(each => each.code)
    if (choices.length > 0 && !choices.includes(answer.answer)) {
      throw invalid([{ loc: [...loc, 'answer'], msg: `must be one of: ${choices.join(', ')}`, type: 'enum' }])
    }
  })
  for (const question of asked) {
    const isAnswered = answers.some(each => each.marker_id === question.marker && each.question_id === question.id)
    if (isAnswered || !question.required) continue
    const msg = `must answer question ${question.id} (${question.code}) of marker ${question.marker}`
    throw invalid([{ loc: ['body', 'aoe_answers'], msg, type: 'missing' }])
  }
}
