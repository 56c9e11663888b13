/** What the engine asks of the store about devices. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { NewDevice } from './data-write.ts'

/** A device of a user as it is kept; of one that data only name, maker, model and version are null. */
export type DeviceRecord = NewDevice

export interface DeviceStore {
  /** Oldest first. */
  list(userId: UserId): Promise<readonly DeviceRecord[]>
  find(userId: UserId, deviceId: string): Promise<DeviceRecord | null>
}
