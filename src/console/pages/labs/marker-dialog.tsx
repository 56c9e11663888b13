/** The dialog that shows a marker, with its results and the questions that the lab asks for an order. */
import { readableName } from '../../../catalogue/wording.ts'
import { useLoad } from '../../api/use-call.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/page.tsx'
import { Command } from '../../parts/small.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { priceText } from './lab-words.ts'

interface MarkerDialogProps {
  readonly labId: number
  /** The lab's code for the marker. */
  readonly code: string
  readonly onClose: () => void
}

export function MarkerDialog({ labId, code, onClose }: MarkerDialogProps) {
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
