/** The filters of the catalogue: a text and a laboratory. They are kept in the URL. */
import { useLoad } from '../../api/use-call.ts'
import { Filters, Search } from '../../parts/list/filters.tsx'
import { FIRST_PAGE, useUrlState } from '../../shell/url-state.ts'

export function LabFilters({ placeholder }: { readonly placeholder: string }) {
  const { query, change } = useUrlState()
  const labs = useLoad('labs.list', {})
  const names = (labs.data ?? []).map(({ slug, name }) => ({ value: slug, label: name }))
  const options = [{ value: '', label: 'All laboratories' }, ...names]
  return (
    <Filters filters={[{ name: 'lab', label: 'Laboratory', problem: labs.problem?.message, options }]}>
      <Search placeholder={placeholder} value={query['q'] ?? ''} onSearch={q => change({ q, ...FIRST_PAGE })} />
    </Filters>
  )
}
