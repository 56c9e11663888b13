/** Schemas of `data` in a webhook body, for lab test events. See docs/interface/events.md. */
import * as z from 'zod'
import { dateTime, openEnum, sensitiveText, uuid } from '../kernel/primitives.ts'
import { order } from '../orders/order.ts'
import { INTERPRETATIONS } from '../orders/order-result.ts'

/** A critical result. The event does not contain the value; the recipient must fetch it. */
const critical = () =>
  z.object({
    order_id: uuid(),
    sample_id: z.string().nullable(),
    status: z.string(),
    interpretation: openEnum(INTERPRETATIONS),
    team_id: uuid(),
    user_id: uuid(),
    created_at: dateTime(),
    updated_at: dateTime(),
  })

const times = () => ({ created_at: dateTime(), updated_at: dateTime() })

const appointment = () =>
  z.object({
    id: uuid(),
    user_id: uuid(),
    order_id: uuid(),
    type: openEnum(['phlebotomy', 'patient_service_center']),
    provider: z.string().meta({ description: 'Slug of the company that draws the sample' }),
    status: openEnum(['pending', 'reserved', 'scheduled', 'in_progress', 'completed', 'cancelled']),
    start_at: dateTime().nullable(),
    end_at: dateTime().nullable(),
    iana_timezone: z.string().nullable(),
    address: z
      .object({
        first_line: sensitiveText(),
        second_line: sensitiveText().nullable(),
        city: sensitiveText(),
        state: sensitiveText(),
        zip_code: sensitiveText(),
      })
      .nullable(),
    can_reschedule: z.boolean(),
    ...times(),
  })

/** A result that a laboratory could not match to a patient with certainty. */
const matchReview = () =>
  z.object({
    id: uuid(),
    order_id: uuid().nullable(),
    status: openEnum(['open', 'resolved']),
    resolution: openEnum(['matched', 'rejected']).nullable(),
    ...times(),
  })

/** The state of parsing a laboratory's paper report. */
const parsingJob = () =>
  z.object({
    id: uuid(),
    user_id: uuid(),
    status: openEnum(['started', 'completed', 'failed']),
    needs_human_review: z.boolean(),
    is_reviewed: z.boolean(),
    ...times(),
  })

const PAYLOADS: Readonly<Record<string, () => z.ZodType>> = {
  'labtest.order.created': order,
  'labtest.order.updated': order,
  'labtest.result.critical': critical,
  'labtest.appointment.created': appointment,
  'labtest.appointment.updated': appointment,
  'labtest.match_review.created': matchReview,
  'labtest.match_review.updated': matchReview,
  'lab_report.parsing_job.created': parsingJob,
  'lab_report.parsing_job.updated': parsingJob,
}

/** Returns the payload schema of an event type; undefined if it is not a lab event. */
export function labEventPayload(type: string): z.ZodType | undefined {
  return PAYLOADS[type]?.()
}
