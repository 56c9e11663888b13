/** Steps of the conversation: labs and their markers. */
import { firstId, NOBODY, text, topic } from '../conversation.ts'

const { steps, step } = topic()
export const labSteps = steps

step('labs', 'labs.list', {})
step('markers', 'labs.markers', {})
step('markers by name', 'labs.markers', {
  query: { name: 'glucose', size: 5, lab_id: [6, 27], a_la_carte_enabled: 'true' },
})
step('markers past the end', 'labs.markers', { query: { page: 10_000 } })
step('markers of size 0', 'labs.markers', { query: { size: 0 } })

step('markers with prices', 'labs.markers', { query: { lab_slug: 'labcorp', size: 3, include_pricing: true } })
step('markers of an unknown lab', 'labs.markers', { query: { lab_slug: 'labcrop' } })
step('markers of an unknown account', 'labs.markers', { query: { lab_account_id: NOBODY } })
step('lab accounts', 'labs.accounts', {})
step('lab accounts by status', 'labs.accounts', { query: { status: 'suspended' } })
step('lab accounts with an unknown status', 'labs.accounts', () => ({ query: { status: 'asleep' } }))
step('markers of an account', 'labs.markers', memory => ({
  query: { lab_account_id: firstId(memory, 'lab accounts', 'data'), size: 2 },
}))
step('lab tests', 'labs.tests', { query: { lab_test_limit: 4, include_pricing: true } })
step('more lab tests', 'labs.tests', memory => ({
  query: { lab_test_limit: 4, next_cursor: text(memory, 'lab tests', 'next_cursor') },
}))
step('a cursor of other lab tests', 'labs.tests', memory => ({
  query: { status: 'active', next_cursor: text(memory, 'lab tests', 'next_cursor') },
}))
step('lab tests by price', 'labs.tests', {
  query: { order_key: 'price', order_direction: 'desc', collection_method: 'testkit', name: 'KIT' },
})
step('too many lab tests', 'labs.tests', { query: { lab_test_limit: 501 } })
step('all lab tests', 'labs.tests_legacy', { query: { status: 'active' } })
step('lab tests of an unknown account', 'labs.tests_legacy', { query: { lab_account_id: NOBODY } })
step('a lab test', 'labs.test', memory => ({ params: { lab_test_id: firstId(memory, 'lab tests', 'data') } }))
step('an unknown lab test', 'labs.test', { params: { lab_test_id: NOBODY } })
step('an invalid lab test ID', 'labs.test', () => ({ params: { lab_test_id: 'x' } }))
step('markers of a lab test', 'labs.test_markers', memory => ({
  params: { lab_test_id: firstId(memory, 'lab tests', 'data') },
}))
step('markers of an unknown lab test', 'labs.test_markers', { params: { lab_test_id: NOBODY } })
step('a marker by its code', 'labs.marker_by_code', memory => ({
  params: {
    lab_id: firstId(memory, 'markers with prices', 'markers', 'lab_id'),
    provider_id: firstId(memory, 'markers with prices', 'markers', 'provider_id'),
  },
}))
step('a marker of another lab', 'labs.marker_by_code', { params: { lab_id: '4', provider_id: 'none' } })
step('markers of an order set', 'labs.order_set_markers', memory => ({
  body: { lab_test_ids: [firstId(memory, 'lab tests', 'data')] },
  query: { size: 2 },
}))
step('markers of an empty order set', 'labs.order_set_markers', { body: {} })
step('markers of unknown lab tests', 'labs.order_set_markers', { body: { lab_test_ids: [NOBODY] } })
step('markers that cannot be ordered together', 'labs.order_set_markers', memory => {
  const tests = (memory['lab tests']?.['data'] ?? []) as { id: string }[]
  return { body: { lab_test_ids: tests.map(each => each.id) } }
})
