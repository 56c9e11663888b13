/** Defines the context and the counts for undoing an import. */
import type { UserId } from '../../../core/ids.ts'
import type { UndoReport } from '../../data-write.ts'
import type { Touches } from '../continuous/touches.ts'
import type { OutboxWriter } from '../events/outbox.ts'
import type { Removals } from '../events/removals.ts'
import type { ImportTableRow } from '../rows/tables.ts'
import type { Successors } from './succession.ts'

/** The import. Its events are those after `first_sequence`, up to and including `last_sequence`. */
export type ImportRow = Pick<ImportTableRow, 'first_sequence' | 'last_sequence'>

/** Counts by resource, summary kind or `workout_stream`. */
export class UndoCounts implements UndoReport {
  readonly removed: Record<string, number> = {}
  readonly restored: Record<string, number> = {}
  readonly kept: Record<string, number> = {}

  add(what: keyof UndoReport, name: string, count: number): void {
    if (count > 0) this[what][name] = (this[what][name] ?? 0) + count
  }
}

/** One import that is being undone, inside one transaction. */
export interface Undoing {
  readonly userId: UserId
  readonly counts: UndoCounts
  readonly outbox: OutboxWriter
  readonly successors: Successors
  readonly touches: Touches
  readonly removals: Removals
}
