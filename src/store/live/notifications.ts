/** Notifications of live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

export interface NotificationRecord {
  readonly teamId: TeamId
  readonly provider: string
  /** SHA-256 of what identifies the event, hex: a repetition has the same. */
  readonly notificationId: string
  readonly receivedAt: EpochMs
  readonly dueAt: EpochMs
  readonly tries: number
  /** The event (account and hints), sealed. */
  readonly sealed: Uint8Array
}

export interface NotificationStore {
  /** Stores them durably. Returns how many were new. */
  add(notifications: readonly NotificationRecord[]): Promise<number>
  /** Returns notifications that wait: of one team, oldest first, or of all (null), of each team at each provider in turn. */
  due(now: EpochMs, teamId: TeamId | null, limit: number): Promise<readonly NotificationRecord[]>
  /** Marks them as done. Their ids are kept for a week, so that a repetition is known. */
  settle(
    keys: readonly Pick<NotificationRecord, 'teamId' | 'provider' | 'notificationId'>[],
    now: EpochMs,
  ): Promise<void>
  /** Makes one due again later. */
  retry(key: Pick<NotificationRecord, 'teamId' | 'provider' | 'notificationId'>, dueAt: EpochMs): Promise<void>
  /** Makes those due now that are not due before this time: a clock or a provider was wrong. */
  hasten(notBefore: EpochMs, now: EpochMs): Promise<number>
  /** Removes ids of old ones. */
  removeOld(before: EpochMs): Promise<number>
}
