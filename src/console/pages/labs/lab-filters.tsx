/** The filters of the catalogue: a text and a laboratory. They are kept in the URL. */
import { useLoad } from '../../api/use-call.ts'
import { Field } from '../../parts/field.tsx'
import { Search } from '../../parts/search.tsx'
import { useUrlState } from '../../shell/url-state.ts'

export function LabFilters({ placeholder }: { readonly placeholder: string }) {
  const { query, change } = useUrlState()
  const labs = useLoad('labs.list', {})
  const first = { page: null, cursor: null }
  return (
    <div class="list-filters">
      <Search placeholder={placeholder} value={query['q'] ?? ''} onSearch={q => change({ q, ...first })} />
      <Field
        label="Laboratory"
        value={query['lab'] ?? ''}
        onChange={lab => change({ lab, ...first }, true)}
        problem={labs.problem?.message}
        options={[
          { value: '', label: 'All laboratories' },
          ...(labs.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
        ]}
      />
    </div>
  )
}
