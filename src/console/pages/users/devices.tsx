/** The devices that a user's data came from. */
import { words } from '../../../catalogue/wording.ts'
import type { Answer } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type Device = Answer<'user.devices'>[number]

const COLUMNS: readonly Column<Device>[] = [
  {
    title: 'Device',
    cell: device => (
      <Name>{[device.device_manufacturer, device.device_model].filter(Boolean).join(' ') || 'Unnamed'}</Name>
    ),
  },
  { title: 'Provider', cell: device => <span class="nowrap">{device.provider}</span> },
  { title: 'Source type', cell: device => words(device.source_type) },
  { title: 'Version', cell: device => <Name>{device.device_version ?? '–'}</Name> },
  { title: 'App', cell: device => <Name>{device.app_id ?? '–'}</Name> },
  { title: 'ID', cell: device => <code class="nowrap">{device.id}</code> },
]

export function Devices({ userId }: { readonly userId: string }) {
  const load = useLoad('user.devices', { params: { user_id: userId } })
  return (
    <Card title="Devices" isFlush>
      <Loaded load={load} lines={3}>
        {devices =>
          devices.length === 0 ? (
            <Empty title="No devices">A device appears here when its data arrives.</Empty>
          ) : (
            <Table label="Devices of the user" columns={COLUMNS} rows={devices} keyOf={device => device.id} />
          )
        }
      </Loaded>
    </Card>
  )
}
