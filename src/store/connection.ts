/** Connections of users to providers, as they are stored. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { ConnectionError, ConnectionRecord, DataWrite } from './data-write.ts'

export interface ConnectionStore {
  /** Returns the connections of each user, oldest first. */
  ofUsers(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, readonly ConnectionRecord[]>>
  /** Returns whether another user of the team has a connection to the same provider account. */
  isAccountTaken(teamId: TeamId, userId: UserId, provider: string, externalUserId: string): Promise<boolean>
  /**
   * Sets a connection to `error` and writes the event, even if the connection has failed before. Returns false if there is no such
   * connection. Throws ServiceError `user_not_found`.
   */
  fail(teamId: TeamId, userId: UserId, provider: string, error: ConnectionError): Promise<boolean>
  /**
   * Removes a connection; the data it brought stays. Returns false if there is no such connection. Throws ServiceError `user_not_found`.
   */
  remove(userId: UserId, provider: string): Promise<boolean>
  /** Pauses every connection if ingestion is over. Returns false if that was already done, or if the end was moved. */
  pause(userId: UserId, now: EpochMs): Promise<boolean>
  /** Writes what a refresh pulled. Returns false, and writes nothing, if the connection is no longer `connected`. */
  bringRefreshed(userId: UserId, provider: string, write: DataWrite): Promise<boolean>
  /** Requests a refresh of a provider that is done later, as a job. Throws ServiceError `user_not_found`. */
  askRefresh(userId: UserId, provider: string, dueAt: EpochMs): Promise<void>
  /** Marks a requested refresh as done. Returns false if somebody else has already done so. */
  settleRefresh(userId: UserId, provider: string, now: EpochMs): Promise<boolean>
}
