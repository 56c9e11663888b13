/** Notifications from live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

export interface NotificationRecord {
  readonly teamId: TeamId
  readonly provider: string
  /** SHA-256 of the event's identity, in hex. It is the same for repeated notifications. */
  readonly notificationId: string
  readonly receivedAt: EpochMs
  readonly dueAt: EpochMs
  readonly tries: number
  /** The event (account and hints), sealed. */
  readonly sealed: Uint8Array
}
