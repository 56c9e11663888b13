/** The form that places an order, with fields for the user, the lab test, the patient, and the lab's questions. */
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { readableName } from '../../../catalogue/wording.ts'
import { BASE } from '../../api/base.ts'
import { type Body, setAtPath, textAtPath } from '../../api/body.ts'
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { toOptions, useChoices } from '../../api/choices.ts'
import { useChosenUser } from '../../api/chosen-user.ts'
import { useLoad } from '../../api/use-call.ts'
import { type Entry, type FieldGroup, FormDialog, type FormField, useForm, type Values } from '../../parts/form.tsx'
import { addressFields, personFields, proxyFields, required } from '../../parts/person-fields.ts'
import { useUrlState } from '../../shell/url-state.ts'

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

interface OrderField extends FormField {
  /** Whether the text is a list, separated by commas or spaces. */
  readonly isList?: boolean
  /** Whether the value must be one of the values in the contract. */
  readonly isChoice?: boolean
}

interface Section extends FieldGroup {
  readonly legend: string
  readonly about: string
  readonly fields: readonly OrderField[]
}

const PERSON = required(personFields('patient_details.'))
const ADDRESS = required(addressFields('patient_address.')).map(each =>
  each.label === 'State' ? { ...each, placeholder: 'CA' } : each,
)
const PROXY = proxyFields('patient_details.medical_proxy.')
const GENDER = 'patient_details.gender'
const CONSENTS = 'consents.'

/** Optional parts of an order, whose empty fields are not sent. */
const SECTIONS: readonly Section[] = [
  {
    legend: 'Medical proxy',
    about: 'who is responsible for a patient under 18',
    path: 'patient_details.medical_proxy',
    fields: PROXY,
  },
  {
    legend: 'Billing and insurance',
    about: 'who pays; your team by default',
    path: 'health_insurance',
    fields: [
      { name: 'billing_type', label: 'Billing type', isChoice: true },
      { name: 'health_insurance.payor_code', label: 'Payor code' },
      { name: 'health_insurance.member_id', label: 'Member ID' },
      { name: 'health_insurance.group_id', label: 'Group ID', hint: 'Optional' },
      { name: 'health_insurance.relationship', label: 'Relationship to the insured person', isChoice: true },
      { name: 'icd_codes', label: 'ICD-10 codes', isList: true, hint: 'Separated by commas: E11.9, I10' },
      { name: 'health_insurance.subjective', label: 'Subjective notes', lines: 2, hint: 'Optional' },
      { name: 'health_insurance.assessment_plan', label: 'Assessment and plan', lines: 2, hint: 'Optional' },
    ],
  },
  {
    legend: 'Physician',
    about: 'who orders; one of the network by default',
    fields: [
      { name: 'physician.first_name', label: 'First name of the physician' },
      { name: 'physician.last_name', label: 'Last name of the physician' },
      { name: 'physician.npi', label: 'NPI', hint: 'Ten digits' },
      { name: 'physician.email', label: 'E-mail of the physician', type: 'email', hint: 'Optional' },
      {
        name: 'physician.licensed_states',
        label: 'Licensed states',
        isList: true,
        hint: 'Optional, separated by commas: CA, NY',
      },
    ],
  },
  { legend: 'Consents', about: 'what the patient agreed to', fields: [] },
  {
    legend: 'Handling',
    about: 'priority, start and notes',
    fields: [
      { name: 'priority', label: 'Priority', type: 'check' },
      { name: 'activate_by', label: 'Becomes active on', type: 'date', hint: 'Immediately by default' },
      { name: 'clinical_notes', label: 'Clinical notes', lines: 2 },
      { name: 'passthrough', label: 'Passthrough', lines: 2, hint: 'Your own text, stored with the order' },
    ],
  },
]

/** Initial values of fields. In a section, an initial value is sent only if another field of the section is filled in. */
const PRESETS: Values = { 'patient_address.country': 'US', 'patient_details.medical_proxy.address.country': 'US' }

const EMPTY_ORDER: Values = PRESETS

/** Fills in the patient from the user's profile info. */
function patientFrom(info: ResponseOf<'user.info'>): Values {
  const from = { patient_details: info, patient_address: info.address }
  const fields = [...PERSON, ...ADDRESS, ...(info.medical_proxy ? PROXY : [])]
  const texts = Object.fromEntries(fields.map(({ name }) => [name, textAtPath(from, name)]))
  return { ...texts, [GENDER]: info.gender.toLowerCase() }
}

type Marker = ResponseOf<'labs.markers'>['markers'][number]

/** A question from a lab about an ordered marker. */
type LabQuestion = NonNullable<Marker['aoe']>['questions'][number] & {
  readonly markerId: number
  readonly name: string
}

/** Returns the questions about markers, with the names of their fields. */
function listQuestions(markers: readonly Marker[]): readonly LabQuestion[] {
  return markers.flatMap(({ id, aoe }) =>
    (aoe?.questions ?? []).map(each => ({ ...each, markerId: id, name: `answer ${id} ${each.id}` })),
  )
}

const questionField = ({ name, value, required: isRequired, answers, type }: LabQuestion): FormField => ({
  name,
  label: isRequired ? value : `${value} (optional)`,
  ...(answers.length > 0
    ? { options: [{ value: '', label: 'Choose' }, ...answers.map(each => ({ value: each.code, label: each.value }))] }
    : { type: type === 'numeric' ? 'number' : 'text', step: 'any', isRequired }),
})

/** Whether any field of a section is filled in. */
const isFilled = ({ legend, fields }: Section, values: Values): boolean =>
  legend === 'Consents'
    ? Object.entries(values).some(([name, value]) => name.startsWith(CONSENTS) && value === true)
    : fields.some(({ name }) => values[name] && values[name] !== PRESETS[name])

/** Returns the fields below the user and the test. `choices` returns a field's allowed values from the contract. */
function orderFields(
  values: Values,
  questions: readonly LabQuestion[],
  choices: (field: string) => readonly string[],
): readonly Entry[] {
  const consents = choices('consents.consentType').map(
    (type): FormField => ({ name: `${CONSENTS}${type}`, label: type.replaceAll('-', ' '), type: 'check' }),
  )
  const shown = ({ isChoice, ...field }: OrderField): FormField =>
    isChoice ? { ...field, options: toOptions(choices(field.name), 'Not given') } : field
  const person = PERSON.map(each =>
    each.name === GENDER ? { ...each, isRequired: false, options: toOptions(choices(GENDER), 'Choose') } : each,
  )
  return [
    { legend: 'Patient', fields: person },
    { legend: 'Address', fields: ADDRESS },
    questions.length > 0 && { legend: 'Questions of the laboratory', fields: questions.map(questionField) },
    {
      class: 'field-parts',
      fields: SECTIONS.map(section => ({
        ...section,
        about: isFilled(section, values) ? 'filled in' : section.about,
        fields: section.legend === 'Consents' ? consents : section.fields.map(shown),
      })),
    },
  ]
}

type OrderBody = NonNullable<Input<'order.create'>['body']>

interface Ordered {
  readonly userId: string
  readonly set: NonNullable<OrderBody['order_set']>
  readonly questions: readonly LabQuestion[]
}

function buildOrderBody(values: Values, { userId, set, questions }: Ordered): OrderBody {
  const body: Body = { user_id: userId, order_set: set }
  for (const { name } of [...PERSON, ...ADDRESS]) setAtPath(body, name, values[name] ?? '')
  for (const { name, isList } of SECTIONS.filter(each => isFilled(each, values)).flatMap(({ fields }) => fields)) {
    const value = values[name]
    const text = typeof value === 'string' ? value.trim() : ''
    if (value === true) setAtPath(body, name, true)
    else if (text !== '') setAtPath(body, name, isList ? text.split(/[\s,]+/).filter(Boolean) : text)
  }
  const consents = Object.keys(values).filter(name => name.startsWith(CONSENTS) && values[name] === true)
  if (consents.length > 0) body['consents'] = consents.map(name => ({ consentType: name.slice(CONSENTS.length) }))
  const answers = questions.flatMap(({ markerId, id, name }) =>
    values[name] ? [{ marker_id: markerId, question_id: id, answer: values[name] }] : [],
  )
  if (answers.length > 0) body['aoe_answers'] = answers
  return body as OrderBody // the paths come from the contract, and the server reports refused texts at their fields
}
