/** The form that places an order, with fields for the user, the lab test, the patient, and the lab's questions. */
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { readableName } from '../../../catalogue/wording.ts'
import { BASE } from '../../api/base.ts'
import { call } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { useChosenUser } from '../../api/chosen-user.ts'
import { useLoad } from '../../api/use-call.ts'
import { FormDialog, useForm } from '../../parts/form.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { buildOrderBody, EMPTY_ORDER, listQuestions, orderFields, patientFrom } from './order-form.ts'

/** Maximum number of tests to choose from, because the service does not list more at once. */
const MOST_TESTS = 500

export function NewOrder({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const { query, change } = useUrlState()
  const userId = useChosenUser() ?? ''
  const { test = '', marker, name: markerName } = query
  const tests = useLoad('labs.tests', { query: { lab_test_limit: MOST_TESTS, status: 'active' } })
  const profile = useLoad('user.info', userId ? { params: { user_id: userId } } : null)
  const set = marker ? { add_on: { marker_ids: [Number(marker)] } } : { lab_test_ids: [test] }
  const isChosen = marker !== undefined || test !== ''
  const markers = useLoad('labs.order_set_markers', isChosen ? { query: { size: 100 }, body: set } : null)
  const questions = listQuestions(markers.data?.markers ?? [])
  const choices = useChoices('order.create')
  const form = useForm(EMPTY_ORDER, async values => {
    const { order } = await call('order.create', { body: buildOrderBody(values, { userId, set, questions }) })
    route(`${BASE}/console/labs/orders/${order.id}`, true)
  })
  useEffect(() => {
    if (profile.data) form.set(patientFrom(profile.data))
  }, [profile.data])
  return (
    <FormDialog
      title="Place an order"
      submit="Place the order"
      isReady={userId !== '' && isChosen}
      notReady="Choose a user and a lab test first."
      isWide
      onClose={onClose}
      // the user and the test are kept in the URL
      form={{
        ...form,
        values: { ...form.values, user_id: userId, order_set: marker ? 'marker' : test },
        set: ({ user_id, order_set, ...others }) => {
          if (user_id !== undefined) change({ user: `${user_id}` })
          else if (order_set !== undefined) change({ test: `${order_set}`, marker: null, name: null })
          else form.set(others)
        },
      }}
      fields={[
        {
          class: 'columns',
          fields: [
            {
              name: 'user_id',
              label: 'User',
              type: 'user',
              hint:
                profile.problem?.status === 404
                  ? 'The user has no profile info. Fill in the patient below, for this order only.'
                  : undefined,
            },
            {
              name: 'order_set',
              label: 'Lab test or marker',
              problem: tests.problem?.message ?? markers.problem?.message,
              options: [
                { value: '', label: 'Choose a lab test' },
                ...(marker ? [{ value: 'marker', label: `Marker: ${markerName ?? marker}` }] : []),
                ...(tests.data?.data ?? []).map(({ id, name, method, lab }) => ({
                  value: id,
                  label: `${name}, ${lab?.name ?? 'no laboratory'}, ${readableName(method)}`,
                })),
              ],
            },
          ],
        },
        ...orderFields(form.values, questions, choices),
      ]}
    />
  )
}
