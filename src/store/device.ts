/** Devices of users. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { NewDevice } from './data-write.ts'

/** A device of a user as it is stored. Manufacturer, model and version are null if only data has named the device. */
export type DeviceRecord = NewDevice

export interface DeviceStore {
  /** Returns the devices of the user, oldest first. */
  list(userId: UserId): Promise<readonly DeviceRecord[]>
  find(userId: UserId, deviceId: string): Promise<DeviceRecord | null>
}
