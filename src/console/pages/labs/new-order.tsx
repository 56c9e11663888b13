/** The form that places an order: the user, the lab test, the patient, and the lab's questions. */

import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { words } from '../../../catalogue/wording.ts'
import { BASE } from '../../api/base.ts'
import { call } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { SelectField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { useAddress } from '../../shell/address.ts'
import { ExtraSections } from './extra-sections.tsx'
import { type Asked, askedOf, bodyOf, type Draft, EMPTY_DRAFT, isShownAtField, patientFrom } from './order-draft.ts'
import { Questions } from './order-questions.tsx'
import { PatientFields } from './patient-fields.tsx'

/** Maximum number of tests that are offered; the service does not list more at once. */
const MOST_TESTS = 500

export function NewOrder({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const { query, change } = useAddress()
  const { user: userId, test: testId = '', marker: markerId, name: markerName } = query
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT)
  const tests = useLoad('labs.tests', { query: { lab_test_limit: MOST_TESTS, status: 'active' } })
  const profile = useLoad('user.info', userId ? { params: { user_id: userId } } : null)
  const set = markerId ? { add_on: { marker_ids: [Number(markerId)] } } : { lab_test_ids: [testId] }
  const isChosen = markerId !== undefined || testId !== ''
  const markers = useLoad('labs.order_set_markers', isChosen ? { query: { size: 100 }, body: set } : null)
  const asked: readonly Asked[] = (markers.data?.markers ?? []).flatMap(askedOf)
  useEffect(() => {
    const { data } = profile
    if (data) setDraft(before => patientFrom(before, data))
  }, [profile.data])
  const place = useAction(async () => {
    const { order } = await call('order.create', { body: bodyOf(draft, { userId: userId ?? '', set, asked }) })
    route(`${BASE}/console/labs/orders/${order.id}`, true)
  })
  const { problem } = place
  return (
    <FormDialog
      title="Place an order"
      isWide
      onClose={onClose}
      action={place}
      submit="Place the order"
      isReady={Boolean(userId) && isChosen}
    >
      <div class="columns">
        <UserPicker userId={userId ?? null} onPick={user => change({ user: user.user_id })} />
        <SelectField
          label="Lab test or marker"
          value={markerId ? 'marker' : testId}
          onChange={value => change({ test: value, marker: null, name: null })}
          problem={tests.problem?.message}
          options={[
            { value: '', label: 'Choose a lab test' },
            ...(markerId ? [{ value: 'marker', label: `Marker: ${markerName ?? markerId}` }] : []),
            ...(tests.data?.data ?? []).map(({ id, name, method, lab }) => ({
              value: id,
              label: `${name}, ${lab?.name ?? 'no laboratory'}, ${words(method)}`,
            })),
          ]}
        />
      </div>
      {userId && profile.problem?.status === 404 && (
        <p class="note">The user has no profile info. Fill in the patient below, for this order only.</p>
      )}
      <PatientFields draft={draft} onChange={setDraft} problem={problem} />
      <Questions asked={asked} draft={draft} onChange={setDraft} />
      <ExtraSections draft={draft} onChange={setDraft} problem={problem} />
      <ProblemNote problem={markers.problem} />
      {problem && !isShownAtField(problem) && <ProblemNote problem={problem} />}
      {problem && isShownAtField(problem) && (
        <p class="field-problem" role="alert">
          Correct the fields that are marked above.
        </p>
      )}
    </FormDialog>
  )
}
