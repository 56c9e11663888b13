/** Shared helpers for tests of lab orders: a patient, and an order for them. */
import { labTests } from '../../../src/catalogue/labs/lab-tests.ts'
import type { CallerInput } from '../../../src/contract/kernel/operation.ts'
import type { Operations } from '../../../src/contract/operations.ts'
import type { Harness } from '../../kit/harness.ts'

export const PATIENT = {
  first_name: 'Ada',
  last_name: 'Byron-King',
  dob: '1985-12-10',
  gender: 'female' as const,
  phone_number: '+1 (555) 010-0199',
  email: 'ada@example.com',
}
export const ADDRESS = { first_line: '1 Engine Way', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' }

/** Returns the ID of a lab test in the catalogue. */
export function labTestId(slug: string): string {
  const test = labTests().find(each => each.slug === slug)
  if (!test) throw new Error(`no lab test ${slug}`)
  return test.id
}

type OrderBody = NonNullable<CallerInput<Operations['order.create']>['body']>

export async function newUser(harness: Harness, name = 'ada'): Promise<string> {
  return (await harness.call('user.create', { body: { client_user_id: name } })).user_id
}

export function orderBody(userId: string, slug = 'essential-health', more: Partial<OrderBody> = {}): OrderBody {
  return {
    user_id: userId,
    patient_details: PATIENT,
    patient_address: ADDRESS,
    order_set: { lab_test_ids: [labTestId(slug)] },
    ...more,
  }
}

/** Creates a user with an order. */
export async function placed(harness: Harness, slug?: string, more?: Partial<OrderBody>) {
  const userId = await newUser(harness)
  const { order } = await harness.call('order.create', { body: orderBody(userId, slug, more) })
  return { userId, order }
}
