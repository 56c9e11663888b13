/** The event types that the server knows, as suggestions for a field that also accepts patterns. */
import { useLoad } from '../../api/use-call.ts'
import type { Option } from '../../parts/field.tsx'

export function useEventTypes(): readonly Option[] | undefined {
  const { data } = useLoad('event.types', {})
  return data?.data.map(({ type, description }) => ({ value: type, label: description }))
}
