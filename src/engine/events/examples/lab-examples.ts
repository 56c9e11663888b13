/** Builds lab test example events. */
import { labTests } from '../../../catalogue/labs/lab-tests.ts'
import type { OrderView } from '../../../contract/orders/order.ts'
import { ownedId } from '../../../core/ids.ts'
import { formatInstant } from '../../../core/time.ts'
import { labTestView } from '../../labs/views.ts'
import { NOBODY } from './nobody.ts'
import type { Example } from './owner.ts'

type Document = Readonly<Record<string, unknown>>

/** Returns an example's outbox content, or undefined if the type does not concern lab tests. */
export function labExample(type: string, whose: Example): Document | undefined {
  return DOCUMENTS[type]?.(whose)
}

const orderId = ({ userId }: Example): string => ownedId(userId, 'order', 'example')
const exampleTimes = ({ at }: Example) => ({ created_at: formatInstant(at), updated_at: formatInstant(at) })

const PATIENT = {
  ...NOBODY,
  medical_proxy: null,
  race: null,
  ethnicity: null,
  sexual_orientation: null,
  gender_identity: null,
  household_income: null,
  household_size: null,
} satisfies OrderView['patient_details']

const ADDRESS = {
  receiver_name: 'Ada Example',
  first_line: '1 Sample Street',
  second_line: '',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  country: 'US',
  phone_number: '+12025550143',
  access_notes: null,
} satisfies OrderView['patient_address']

/** Returns an order for a lab test from the catalogue, without its list of markers. */
function order(whose: Example, low: 'ordered' | 'requisition_created'): Document {
  const { userId, teamId } = whose
  const id = orderId(whose)
  const times = exampleTimes(whose)
  const [test] = labTests()
  if (!test) throw new Error('the catalogue has no lab test')
  const status = `received.${test.method}.${low}`
  const event = { id: low === 'ordered' ? 1 : 2, created_at: times.created_at, status, status_detail: null }
  return {
    user_id: userId,
    id,
    team_id: teamId,
    patient_details: PATIENT,
    patient_address: ADDRESS,
    lab_test: labTestView({ ...test, markerIds: [] }, new Map()),
    details: {
      type: test.method,
      data: { id: ownedId(userId, 'order detail', 'example'), ...times, appointment_id: null },
    },
    sample_id: null,
    notes: null,
    ...times,
    events: low === 'ordered' ? [event] : [{ ...event, id: 1, status: `received.${test.method}.ordered` }, event],
    status: 'received',
    last_event: event,
    physician: null,
    health_insurance_id: null,
    requisition_form_url: null,
    priority: false,
    shipping_details: null,
    activate_by: null,
    passthrough: null,
    billing_type: 'client_bill',
    icd_codes: null,
    has_abn: false,
    interpretation: null,
    has_missing_results: null,
    expected_result_by_date: null,
    worst_case_result_by_date: null,
    origin: 'initial',
    order_transaction: {
      id: ownedId(userId, 'order transaction', 'example'),
      status: 'active',
      orders: [
        {
          id,
          low_level_status: low,
          low_level_status_created_at: times.created_at,
          origin: 'initial',
          parent_id: null,
          ...times,
        },
      ],
    },
  } satisfies OrderView
}

const appointment =
  (status: string) =>
  (whose: Example): Document => ({
    id: ownedId(whose.userId, 'appointment', 'example'),
    user_id: whose.userId,
    order_id: orderId(whose),
    type: 'phlebotomy',
    provider: 'quest',
    status,
    start_at: status === 'pending' ? null : formatInstant(whose.at),
    end_at: status === 'pending' ? null : formatInstant(whose.at + 1_800_000),
    iana_timezone: 'America/Chicago',
    address: {
      first_line: ADDRESS.first_line,
      second_line: null,
      city: ADDRESS.city,
      state: ADDRESS.state,
      zip_code: ADDRESS.zip,
    },
    can_reschedule: true,
    ...exampleTimes(whose),
  })

const matchReview =
  (resolution: 'matched' | null) =>
  (whose: Example): Document => ({
    id: ownedId(whose.userId, 'match review', 'example'),
    order_id: orderId(whose),
    status: resolution === null ? 'open' : 'resolved',
    resolution,
    ...exampleTimes(whose),
  })

const parsingJob =
  (status: 'started' | 'completed') =>
  (whose: Example): Document => ({
    id: ownedId(whose.userId, 'parsing job', 'example'),
    user_id: whose.userId,
    status,
    needs_human_review: false,
    is_reviewed: false,
    ...exampleTimes(whose),
  })

const DOCUMENTS: Readonly<Record<string, (whose: Example) => Document>> = {
  'labtest.order.created': whose => order(whose, 'ordered'),
  'labtest.order.updated': whose => order(whose, 'requisition_created'),
  'labtest.result.critical': whose => ({
    order_id: orderId(whose),
    sample_id: 'S0C0FFEE001',
    status: 'completed.walk_in_test.completed',
    interpretation: 'critical',
    team_id: whose.teamId,
    user_id: whose.userId,
    ...exampleTimes(whose),
  }),
  'labtest.appointment.created': appointment('pending'),
  'labtest.appointment.updated': appointment('scheduled'),
  'labtest.match_review.created': matchReview(null),
  'labtest.match_review.updated': matchReview('matched'),
  'lab_report.parsing_job.created': parsingJob('started'),
  'lab_report.parsing_job.updated': parsingJob('completed'),
}
