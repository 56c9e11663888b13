/** The patient of an order: who, and where. */
import { words } from '../../../catalogue/wording.ts'
import { useChoices } from '../../api/choices.ts'
import type { Problem } from '../../api/problem.ts'
import { problemWith, SelectField, TextField } from '../../parts/field.tsx'
import type { Address, Draft, Patient } from './order-draft.ts'

interface PatientFieldsProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problem: Problem | null
}

export function PatientFields({ draft, onChange, problem }: PatientFieldsProps) {
  const genders = useChoices('order.create', 'patient_details.gender')
  const setPatient = (name: keyof Patient, value: string): void =>
    onChange({ ...draft, patient: { ...draft.patient, [name]: value } })
  const person = (name: keyof Patient) => ({
    value: draft.patient[name],
    onInput: (value: string) => setPatient(name, value),
    problem: problemWith(problem, `patient_details.${name}`),
    isRequired: true,
  })
  const place = (name: keyof Address) => ({
    value: draft.address[name],
    onInput: (value: string) => onChange({ ...draft, address: { ...draft.address, [name]: value } }),
    problem: problemWith(problem, `patient_address.${name}`),
    isRequired: name !== 'second_line',
  })
  return (
    <>
      <fieldset class="field-grid">
        <legend>Patient</legend>
        <TextField label="First name" {...person('first_name')} />
        <TextField label="Last name" {...person('last_name')} />
        <TextField label="Date of birth" type="date" {...person('dob')} />
        <SelectField
          label="Gender"
          value={draft.patient.gender}
          onChange={value => setPatient('gender', value)}
          problem={problemWith(problem, 'patient_details.gender')}
          options={[{ value: '', label: 'Choose' }, ...genders.map(value => ({ value, label: words(value) }))]}
        />
        <TextField label="E-mail" type="email" {...person('email')} />
        <TextField label="Phone number" {...person('phone_number')} />
      </fieldset>
      <fieldset class="field-grid">
        <legend>Address</legend>
        <TextField label="Street" {...place('first_line')} />
        <TextField label="Second line" {...place('second_line')} />
        <TextField label="City" {...place('city')} />
        <TextField label="State" placeholder="CA" {...place('state')} />
        <TextField label="ZIP code" {...place('zip')} />
        <TextField label="Country" {...place('country')} />
      </fieldset>
    </>
  )
}
