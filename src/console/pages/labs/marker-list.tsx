/** The markers that laboratories measure. The search accepts part of a name, a lab's code, or a LOINC code. */
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useNumberedPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { LabFilters } from './lab-filters.tsx'
import { catalogueWith, priceText } from './lab-words.ts'

type Marker = ResponseOf<'labs.markers'>['markers'][number]

const ON_A_PAGE = 25
/** Maximum number of LOINC codes listed in a row, because a panel may have dozens. */
const MOST_NAMED = 3

export function MarkerList() {
  const { query, change } = useUrlState()
  const { q: name = '', lab = '', lab_id: labId, code } = query
  const { number, readPages } = useNumberedPages('markers')
  const load = useLoad('labs.markers', {
    query: { name, page: number, size: ON_A_PAGE, ...(lab ? { lab_slug: lab } : {}) },
  })
  const labs = useLoad('labs.list', {})
  const labName = (id: number | null): string => labs.data?.find(each => each.id === id)?.name ?? '–'
  return (
    <>
      <ListCard
        label="Markers"
        noun="markers"
        load={load}
        lines={12}
        columns={columnsWith(catalogueWith(query), labName)}
        readRows={({ markers }) => markers}
        rowKey={each => String(each.id)}
        readPages={readPages}
        empty={<Empty title="No marker found">Search for part of its name, a lab's code, or a LOINC code.</Empty>}
      >
        <LabFilters placeholder="Name, lab's code, or LOINC code" />
      </ListCard>
      <Command
        words={['svc', 'labs', 'markers']}
        flags={{ '--name': name, '--lab-slug': lab, '--page': number > 1 && number }}
      />
      {labId && code && (
        <MarkerDialog labId={Number(labId)} code={code} onClose={() => change({ lab_id: null, code: null })} />
      )}
    </>
  )
}

function columnsWith(url: string, labName: (id: number | null) => string): readonly Column<Marker>[] {
  return [
    {
      title: 'Marker',
      cell: each => (
        <div class="labs-name">
          {each.lab_id === null || each.provider_id === null ? (
            each.name
          ) : (
            <a href={`${url}&lab_id=${each.lab_id}&code=${encodeURIComponent(each.provider_id)}`}>{each.name}</a>
          )}
          <code class="soft">{each.provider_id}</code>
        </div>
      ),
    },
    { title: 'Laboratory', cell: each => labName(each.lab_id) },
    { title: 'Type', cell: each => <Badge>{readableName(each.type ?? 'unknown')}</Badge> },
    { title: 'LOINC', cell: each => <Codes marker={each} /> },
    { title: 'Unit', cell: each => <span class="nowrap">{each.unit ?? '–'}</span> },
    { title: 'Can be ordered alone', cell: each => (each.a_la_carte_enabled ? 'Yes' : 'No') },
    { title: 'Price, USD', cell: each => priceText(each.price), isNumber: true },
  ]
}

function Codes({ marker }: { readonly marker: Marker }) {
  const codes = marker.expected_results.flatMap(each => each.loinc?.code ?? [])
  const rest = codes.length - MOST_NAMED
  return (
    <>
      <code>{codes.slice(0, MOST_NAMED).join(', ')}</code>
      {rest > 0 && <span class="soft">{` and ${rest} more`}</span>}
    </>
  )
}

interface MarkerDialogProps {
  readonly labId: number
  /** The lab's code for the marker. */
  readonly code: string
  readonly onClose: () => void
}

/** A marker with its results and the questions that the lab asks for an order. */
function MarkerDialog({ labId, code, onClose }: MarkerDialogProps) {
  const load = useLoad('labs.marker_by_code', { params: { lab_id: labId, provider_id: code }, query: {} })
  const marker = load.data
  const questions = marker?.aoe?.questions ?? []
  return (
    <Dialog
      title={marker?.name ?? 'Marker'}
      isWide
      onClose={onClose}
      actions={
        marker?.a_la_carte_enabled &&
        marker.is_orderable && (
          <LinkButton
            kind="primary"
            href={`/console/labs/orders?new=1&marker=${marker.id}&name=${encodeURIComponent(marker.name)}`}
          >
            Order this marker
          </LinkButton>
        )
      }
    >
      <Loaded load={load} lines={6}>
        {data => (
          <>
            <Facts
              rows={[
                ['Description', data.description],
                ['ID', String(data.id)],
                ["Lab's code", data.provider_id && <code>{data.provider_id}</code>],
                ['Type', data.type && readableName(data.type)],
                ['Unit', data.unit],
                ['Price', data.price && `USD ${priceText(data.price)}`],
                ['Days to a result', data.common_tat_days && `${data.common_tat_days} to ${data.worst_case_tat_days}`],
              ]}
            />
            <h3>Results</h3>
            <Table
              label="Results of the marker"
              columns={[
                { title: 'Result', cell: each => each.name },
                { title: 'LOINC', cell: each => <code class="nowrap">{each.loinc?.code ?? '–'}</code> },
                { title: 'LOINC name', cell: each => each.loinc?.name ?? '–' },
                { title: 'Unit', cell: each => each.loinc?.unit ?? '–' },
              ]}
              rows={data.expected_results}
              rowKey={each => String(each.id)}
            />
          </>
        )}
      </Loaded>
      {questions.length > 0 && (
        <>
          <h3>Questions</h3>
          <ul>
            {questions.map(each => (
              <li key={each.id}>
                {each.value} {each.required ? '(required)' : '(optional)'}
              </li>
            ))}
          </ul>
        </>
      )}
      <Command words={['svc', 'labs', 'marker', String(labId), code]} />
    </Dialog>
  )
}
