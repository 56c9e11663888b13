/** Chooses a laboratory by its slug; an empty text stands for all. */
import { useLoad } from '../../api/use-call.ts'
import { SelectField } from '../../parts/field.tsx'

interface LabFilterProps {
  readonly value: string
  readonly onChange: (slug: string) => void
}

export function LabFilter({ value, onChange }: LabFilterProps) {
  const labs = useLoad('labs.list', {})
  return (
    <SelectField
      label="Laboratory"
      value={value}
      onChange={onChange}
      problem={labs.problem?.message}
      options={[
        { value: '', label: 'All laboratories' },
        ...(labs.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
    />
  )
}
