/** The devices that a user's data came from. */
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Name } from '../../parts/name.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'

type Device = ResponseOf<'user.devices'>[number]

const COLUMNS: readonly Column<Device>[] = [
  {
    title: 'Device',
    sort: device => device.device_model,
    cell: device => (
      <Name>{[device.device_manufacturer, device.device_model].filter(Boolean).join(' ') || 'Unnamed'}</Name>
    ),
  },
  { title: 'Provider', sort: device => device.provider, cell: device => <span class="nowrap">{device.provider}</span> },
  { title: 'Source type', cell: device => readableName(device.source_type) },
  { title: 'Version', cell: device => <Name>{device.device_version ?? '–'}</Name> },
  { title: 'App', cell: device => <Name>{device.app_id ?? '–'}</Name> },
  { title: 'ID', cell: device => <code class="nowrap">{device.id}</code> },
]

export function Devices({ userId }: { readonly userId: string }) {
  const load = useLoad('user.devices', { params: { user_id: userId } })
  return (
    <ListCard
      title="Devices"
      label="Devices of the user"
      noun="devices"
      load={load}
      lines={3}
      columns={COLUMNS}
      readRows={devices => devices}
      rowKey={device => device.id}
      empty={<Empty title="No devices">A device appears here when its data arrives.</Empty>}
    />
  )
}
