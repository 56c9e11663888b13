/** The tape: what changed the store while a recording ran, in the order of the commits, until it was read. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { OutboxEvent } from './event.ts'
import type { Replaced, SnapshotMoment } from './snapshot.ts'

/** A recording that is on. */
export interface RecordingState {
  readonly recordingId: string
  /** Number of the last entry, 0 for none. */
  readonly last: number
}

/** What one change was made of. It goes onto the tape in the transaction of the first change that it makes. */
export interface TapeEntry {
  readonly recordingId: string
  /** As JSON; the number of the entry is added in front. */
  readonly line: Readonly<Record<string, unknown>>
  /** A file whose bytes belong to it, or null. */
  readonly upload: string | null
  /** The teams as they are then go along: for a change that holds a secret itself. */
  readonly withTeams: boolean
}

/** A store whose first write that changes something also puts the entry on the tape. `StoreOf` is the port's Store. */
export interface Taping<StoreOf> {
  readonly store: StoreOf
  /** Number of the entry on the tape, or null. */
  entry(): number | null
}

/** A piece of what stands on the tape: an entry's JSON, or some of the bytes that belong to it. */
export type TapePiece =
  | { readonly kind: 'line'; readonly number: number; readonly text: string }
  | { readonly kind: 'upload'; readonly number: number; readonly bytes: Uint8Array }

/** An event that nothing on the tape causes: a test of an endpoint, or the end of the attempts to deliver another. */
export type TapedEvent = Pick<OutboxEvent, 'teamId' | 'type' | 'at'> & {
  readonly document: Readonly<Record<string, unknown>>
}

export interface TapeStore {
  /** Null: nothing records, or who recorded was not heard of for too long. `real` is real time, here and below. */
  state(real: EpochMs): Promise<RecordingState | null>
  /** Begins a recording; what an earlier one left is removed. False: another one is on. */
  start(recordingId: string, real: EpochMs, aliveUntil: EpochMs): Promise<boolean>
  /** Who reads says that it lives, and lets the entries up to a number go. Null: there is no such recording. */
  keepAlive(
    recordingId: string,
    read: number,
    turn: KeepAlive,
  ): Promise<(RecordingState & { readonly isOn: boolean }) | null>
  /** Nothing more comes onto the tape; with the last entry read, all of it is removed. Null: there is no such recording. */
  stop(recordingId: string, read: number): Promise<(RecordingState & { readonly isRemoved: boolean }) | null>
  /** Puts a line of its own onto the tape, such as how a change ended that had been on it. */
  append(recordingId: string, line: Readonly<Record<string, unknown>>): Promise<void>
  /** Whole entries after a number, in order, until `mostBytes` are passed. */
  read(recordingId: string, after: number, mostBytes: number): AsyncIterable<TapePiece>

  /**
   * Writes a copy of the store to a path that is free: without keys, endpoints, deliveries, faults and audit trail. Answers the
   * number of the last entry whose change is in it.
   */
  copyTo(path: string, at: SnapshotMoment): Promise<number>
  /** Of a store apart: writes an event that was on a tape. */
  emit(userId: UserId, event: TapedEvent): Promise<void>
  /** Of a store apart: adds the teams that were on a tape and are not there. */
  addTeams(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>
  /** Puts the state of a store apart, that was closed, in the place of what is here, as a restored snapshot. */
  adopt(path: string, signal?: AbortSignal): Promise<Replaced>
}

export interface KeepAlive {
  readonly real: EpochMs
  readonly aliveUntil: EpochMs
}
