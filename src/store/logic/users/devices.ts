/** Stores a user's devices as rows: both devices reported by a link, and devices that data refers to by ID. */
import type { UserId } from '../../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DeviceRecord, NewDevice } from '../../data-write.ts'
import type { OutboxWriter } from '../events/outbox.ts'
import { part, read } from '../part.ts'
import { asRow } from '../rows/record-names.ts'
import { DEVICES, type DeviceTableRow } from '../rows/tables.ts'
import { many, one, type Steps } from '../steps.ts'

const FIND_DEVICE = DEVICES.query('WHERE user_id=? AND device_id=?')
const DEVICES_OF_USER = DEVICES.query('WHERE user_id=? ORDER BY created_at, device_id')

export class DeviceStore extends part({
  list: read(listDevices),
  find: read(findDevice),
}) {}

function fromRow(row: DeviceTableRow): DeviceRecord {
  const { userId, createdAt, updatedAt, ...device } = DEVICES.record(row)
  return device
}

/** Collects the devices that data refers to. Reads only batches with a dictionary of devices. */
export class NamedDevices {
  private readonly found = new Map<string, NewDevice>()

  samples({ series, text }: SampleBatch): void {
    const devices = text.get('device_id')
    if (devices === undefined) return
    // if there are several apps, the dictionaries do not show which one a device belongs to
    const [app, ...others] = text.get('app_id')?.values ?? []
    const appId = app === undefined || others.length > 0 ? null : app
    for (const deviceId of devices.values) this.add(deviceId, series.provider, series.sourceType, appId)
  }

  summary({ deviceId, provider, sourceType, appId }: SummaryRecord): void {
    if (deviceId !== null) this.add(deviceId, provider, sourceType, appId)
  }

  /** Stores unknown devices and devices reported by a link, and writes an event for each change. */
  *settle(userId: UserId, told: readonly NewDevice[], at: EpochMs, outbox: OutboxWriter): Steps<void> {
    for (const device of told) {
      this.found.delete(device.deviceId)
      yield* keep(userId, device, at, outbox)
    }
    for (const device of this.found.values()) {
      if ((yield* findDevice(userId, device.deviceId)) === null) yield* keep(userId, device, at, outbox)
    }
  }

  private add(id: string, provider: string, sourceType: string, appId: string | null): void {
    const deviceId = id.toLowerCase()
    if (this.found.has(deviceId)) return
    this.found.set(deviceId, {
      deviceId,
      provider,
      sourceType,
      appId,
      manufacturer: null,
      model: null,
      version: null,
    })
  }
}

function* keep(userId: UserId, device: NewDevice, at: EpochMs, outbox: OutboxWriter): Steps<void> {
  const row = yield* one(FIND_DEVICE, [userId, device.deviceId])
  const present = row ? fromRow(row) : null
  if (present !== null && JSON.stringify(present) === JSON.stringify({ ...present, ...device })) return
  const told = asRow(device)
  yield* DEVICES.put({ ...told, user_id: userId, created_at: row?.created_at ?? at, updated_at: at })
  const event = present === null ? 'provider.device.created' : 'provider.device.updated'
  yield* outbox.document(event, told)
}

function* findDevice(userId: UserId, deviceId: string): Steps<DeviceRecord | null> {
  const row = yield* one(FIND_DEVICE, [userId, deviceId])
  return row ? fromRow(row) : null
}

/** Returns the user's devices, oldest first. */
function* listDevices(userId: UserId): Steps<DeviceRecord[]> {
  return (yield* many(DEVICES_OF_USER, [userId])).map(fromRow)
}
