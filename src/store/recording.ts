/** Recordings: the changes to the store during a recording, in commit order, kept until they have been read. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { OutboxEvent } from './event.ts'
import type { Replaced, SnapshotMoment } from './snapshot.ts'

/** A recording in progress. */
export interface RecordingState {
  readonly recordingId: string
  /** Number of the last entry, or 0 if there is none. */
  readonly last: number
}

/** One change's input. The entry is stored in the transaction of the first write that the input causes. */
export interface RecordingEntry {
  readonly recordingId: string
  /** The content, which is written as JSON with the entry's number added at the front. */
  readonly line: Readonly<Record<string, unknown>>
  /** Path of a file whose bytes belong to the entry, or null. */
  readonly upload: string | null
  /** Whether the entry also contains the current state of all teams, because the change itself involves a secret and cannot be recorded. */
  readonly withTeams: boolean
}

/** A store whose first write that changes something also stores the entry. `StoreOf` is the port's Store. */
export interface Recording<StoreOf> {
  readonly store: StoreOf
  /** Returns the entry's number, or null if the entry is not stored. */
  entry(): number | null
}

/** A part of a recording: an entry's JSON, or some of the bytes that belong to the entry. */
export type RecordingPiece =
  | { readonly kind: 'line'; readonly number: number; readonly text: string }
  | { readonly kind: 'upload'; readonly number: number; readonly bytes: Uint8Array }

/** An event that no entry causes: an endpoint test, or the end of the attempts to deliver another event. */
export type RecordedEvent = Pick<OutboxEvent, 'teamId' | 'type' | 'at'> & {
  readonly document: Readonly<Record<string, unknown>>
}

export interface RecordingStore {
  /**
   * Returns the recording in progress. Returns null if there is none or its recorder has not responded for too long. Here and below, `real`
   * is real time.
   */
  state(real: EpochMs): Promise<RecordingState | null>
  /** Starts a recording, and removes the remaining entries of an earlier one. Returns false if another recording is in progress. */
  start(recordingId: string, real: EpochMs, aliveUntil: EpochMs): Promise<boolean>
  /**
   * Called by the recorder to show that it is alive. Removes the entries up to the number `read`. Returns null if there is no such
   * recording. `isOn` is false if the recording has ended.
   */
  keepAlive(
    recordingId: string,
    read: number,
    keepAlive: KeepAlive,
  ): Promise<(RecordingState & { readonly isOn: boolean }) | null>
  /**
   * Ends the recording, so that nothing more is recorded. If the last entry has been read, removes the whole recording. Returns null if
   * there is no such recording.
   */
  stop(recordingId: string, read: number): Promise<(RecordingState & { readonly isRemoved: boolean }) | null>
  /** Adds a separate line, for example the outcome of a change that has already been recorded. */
  append(recordingId: string, line: Readonly<Record<string, unknown>>): Promise<void>
  /** Yields complete entries after a number, in order, until at least `mostBytes` have been read. */
  read(recordingId: string, after: number, mostBytes: number): AsyncIterable<RecordingPiece>

  /**
   * Writes a copy of the store to a path that does not exist yet, without keys, endpoints, deliveries, faults and the audit trail. Returns
   * the number of the last entry whose change is in the copy.
   */
  copyTo(path: string, at: SnapshotMoment): Promise<number>
  /** Writes a recorded event to a separate store (`apart`). */
  emit(userId: UserId, event: RecordedEvent): Promise<void>
  /** Adds the recorded teams that do not exist yet to a separate store. */
  addTeams(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>
  /**
   * Replaces the current state with a separate store's state, as if a snapshot were restored. The separate store must be closed. Throws
   * ServiceError `conflict` and changes nothing if this store has users.
   */
  adopt(path: string, signal?: AbortSignal): Promise<Replaced>
}

export interface KeepAlive {
  readonly real: EpochMs
  readonly aliveUntil: EpochMs
}
