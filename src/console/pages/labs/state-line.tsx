/** An order's states so far, oldest first, with their times. */
import { formatTitle } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { Time } from '../../parts/time.tsx'
import { firstStatusPart, stateText, statusTone } from './lab-words.ts'

type OrderEvent = ResponseOf<'order.get'>['events'][number]

export function StateLine({ events }: { readonly events: readonly OrderEvent[] }) {
  return (
    <ol class="labs-line">
      {events.map((event, index) => (
        <li
          key={event.id}
          class={`labs-state labs-state-${statusTone(event.status)}`}
          aria-current={index === events.length - 1 ? 'step' : undefined}
        >
          <strong>{stateText(event.status)}</strong>
          <span class="soft">
            {formatTitle(firstStatusPart(event.status))}, <Time at={event.created_at} withSeconds />
          </span>
          {event.status_detail && <span class="soft">{formatTitle(event.status_detail)}</span>}
        </li>
      ))}
    </ol>
  )
}
