/**
 * When an import is undone, what it had replaced is handed on to the import that replaced it in turn. If that one is undone later, it
 * restores what is left, not what is gone. So the order in which imports are undone makes no difference.
 */
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { joinColumns, pickRows, rowAtOrAfter, sameRow, sortColumns } from '../../chunk/columns.ts'
import { samplesOf, storedJson } from '../checksums/damage.ts'
import { IMPORTS, IMPORTS_BEFORE, type ImportBeforeRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import type { SampleRow } from '../samples/restore.ts'
import { type BeforeKind, beforeRows } from './imports.ts'

/** A row of `import_before`. */
interface Place {
  readonly import_id: string
  readonly ord: number
}

/** What later imports, none of which is undone, found of one user's data. */
export class Successors {
  private places: Map<string, Place[]> | null = null
  private readonly db: Connection
  private readonly userId: UserId
  private readonly lastSequence: number

  /** `lastSequence` is the number of the last event of the import that is being undone. */
  constructor(db: Connection, userId: UserId, lastSequence: number) {
    this.db = db
    this.userId = userId
    this.lastSequence = lastSequence
  }

  /** Hands on samples of a series: as the import had brought them, ascending by start, and what it had found in their place. */
  samples(seriesId: number, brought: SampleColumns, beforeAt: (start: EpochMs) => SampleRow | null): void {
    const isTaken = new Uint8Array(brought.n)
    for (const place of this.placesOf('samples', `${seriesId}`)) {
      const { data } = this.rowAt(place)
      if (!data) continue
      const found = samplesOf(data, () => this.placeOf(place))
      const stays: number[] = []
      const given: SampleColumns[] = []
      for (let row = 0; row < found.n; row++) {
        const at = rowAtOrAfter(brought, startAt(found, row))
        // the first import after it has replaced it
        if (at === brought.n || isTaken[at] || !sameRow(found, row, brought, at)) {
          stays.push(row)
          continue
        }
        isTaken[at] = 1
        const before = beforeAt(startAt(found, row))
        if (before) given.push(pickRows(before.columns, Uint32Array.of(before.row)))
      }
      if (stays.length === found.n) continue
      const rows = joinColumns([pickRows(found, Uint32Array.from(stays)), ...given])
      if (rows.n === 0) this.remove(place)
      else this.put(place, encodeChunk(sortColumns(rows, () => {})), null)
    }
  }

  /**
   * Hands on a summary or a stream. `version` is the `updated_at` of the version that the import brought; `before` is what it had found.
   */
  document(
    kind: 'summary' | 'stream',
    item: string,
    version: EpochMs | null,
    before: { readonly document: string | null; readonly data: Uint8Array | null },
  ): void {
    for (const place of this.placesOf(kind, item)) {
      const { document } = this.rowAt(place)
      if (document === null) continue
      if (storedJson<{ updated_at: EpochMs }>(document, () => this.placeOf(place)).updated_at !== version) continue
      this.put(place, before.data, before.document)
      return
    }
  }

  /** Returns rows, earliest import first. */
  private placesOf(kind: BeforeKind, item: string): readonly Place[] {
    this.places ??= this.read()
    return this.places.get(`${kind} ${item}`) ?? []
  }

  private read(): Map<string, Place[]> {
    const places = new Map<string, Place[]>()
    const imports = IMPORTS.all(this.db, 'WHERE user_id=?', this.userId)
      .filter(each => each.first_sequence >= this.lastSequence && each.undone_at === null)
      .sort((a, b) => a.first_sequence - b.first_sequence)
    for (const { import_id } of imports) {
      for (const { kind, item, ord } of beforeRows(this.db, this.userId, import_id)) {
        const name = `${kind} ${item}`
        const known = places.get(name)
        if (known) known.push({ import_id, ord })
        else places.set(name, [{ import_id, ord }])
      }
    }
    return places
  }

  private rowAt({ import_id, ord }: Place): { readonly data: Uint8Array | null; readonly document: string | null } {
    return this.wholeAt({ import_id, ord }) ?? { data: null, document: null }
  }

  private wholeAt({ import_id, ord }: Place): ImportBeforeRow | undefined {
    const tail = 'WHERE user_id=? AND import_id=? AND ord=?'
    return IMPORTS_BEFORE.get(this.db, tail, this.userId, import_id, ord)
  }

  private put(place: Place, data: Uint8Array | null, document: string | null): void {
    const row = this.wholeAt(place)
    if (row) IMPORTS_BEFORE.update(this.db, { ...row, data, document })
  }

  private placeOf({ import_id, ord }: Place) {
    return { what: `what was there before import ${import_id}, row ${ord}`, userId: this.userId }
  }

  private remove({ import_id, ord }: Place): void {
    this.db.run('DELETE FROM import_before WHERE user_id=? AND import_id=? AND ord=?', this.userId, import_id, ord)
  }
}
