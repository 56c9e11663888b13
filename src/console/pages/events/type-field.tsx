/** A field for an event type or a pattern, which offers the types that the server knows. */
import { useLoad } from '../../api/use-call.ts'
import { TextField } from '../../parts/field.tsx'

interface TypeFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly placeholder?: string
  readonly hint?: string
  readonly problem?: string | null
}

export function TypeField(props: TypeFieldProps) {
  const types = useLoad('event.types', {})
  return (
    <TextField
      {...props}
      suggestions={types.data?.data.map(({ type, description }) => ({ value: type, label: description }))}
    />
  )
}
