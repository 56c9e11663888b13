/**
 * Lets imports be undone in any order. When an import is undone, the data that it had replaced is handed on to the import that replaced its
 * own data. If that import is undone later, it restores the data that was handed on, not the undone data.
 */
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { joinColumns, pickRows, rowAtOrAfter, sameRow, sortColumns } from '../../chunk/columns.ts'
import { SampleClaims } from '../remap/sample-claims.ts'
import { storedJson, unpackSamples } from '../rows/damage.ts'
import { IMPORTS_BEFORE, type ImportBeforeRow, type ImportTableRow } from '../rows/tables.ts'
import type { SampleRow } from '../samples/restore.ts'
import { many, type Steps } from '../steps.ts'
import {
  appendSamples,
  type BeforeKind,
  beforeRow,
  beforeRows,
  IMPORTS_OF_USER,
  inOrder,
  REMOVED,
  removeBefore,
} from './imports.ts'

/** A row of `import_before`. */
interface ImportBeforeKey {
  readonly import_id: string
  readonly ord: number
}

/** One user's data that was replaced by later imports that have not been undone. */
export class Successors {
  private keys: Map<string, ImportBeforeKey[]> | null = null
  private readonly userId: UserId
  private readonly importId: string

  /** `importId` is the import that is being undone. */
  constructor(userId: UserId, importId: string) {
    this.userId = userId
    this.importId = importId
  }

  /**
   * Hands on a series' samples. `brought` contains them as the import stored them, in ascending order of start, together with the samples
   * that they replaced.
   */
  *samples(seriesId: number, brought: SampleColumns, beforeAt: (start: EpochMs) => SampleRow | null): Steps<void> {
    const isTaken = new Uint8Array(brought.n)
    for (const key of yield* this.findKeys('samples', `${seriesId}`)) {
      const { data = null } = (yield* this.rowAt(key)) ?? {}
      if (!data) continue
      const found = unpackSamples(data, () => this.damageLocation(key))
      const stays: number[] = []
      const given: SampleColumns[] = []
      for (let row = 0; row < found.n; row++) {
        const at = rowAtOrAfter(brought, startAt(found, row))
        // the next import has replaced the sample
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
      if (rows.n === 0) yield* removeBefore(this.userId, key.import_id, key.ord)
      else yield* this.put(key, encodeChunk(sortColumns(rows, () => {})), null)
    }
  }

  /**
   * Hands on a summary or stream. `version` is the `updated_at` of the version that the import wrote, and `before` is the version that the
   * import replaced.
   */
  *document(
    kind: 'summary' | 'stream',
    item: string,
    version: EpochMs | null,
    before: { readonly document: string | null; readonly data: Uint8Array | null },
  ): Steps<void> {
    for (const key of yield* this.findKeys(kind, item)) {
      const { document = null } = (yield* this.rowAt(key)) ?? {}
      if (document === null) continue
      if (storedJson<{ updated_at: EpochMs }>(document, () => this.damageLocation(key)).updated_at !== version) continue
      yield* this.put(key, before.data, before.document)
      return
    }
  }

  /**
   * Hands on samples that a remap had removed, to the imports that have since added others at their starts. `rows` are in ascending order of
   * start.
   */
  *removedSamples(seriesId: number, rows: SampleColumns): Steps<void> {
    const imports = yield* this.later()
    const claims = yield* SampleClaims.read(this.userId, imports, each => each === seriesId)
    const near = yield* claims.near(seriesId, startAt(rows, 0), startAt(rows, rows.n - 1))
    for (const [order, { import_id }] of imports.entries()) {
      const theirs = Uint32Array.from({ length: rows.n }, (_, row) => row).filter(row => {
        const first = near.first(startAt(rows, row))
        return first?.order === order && !first.isRemoval && !first.hasReplaced
      })
      if (theirs.length > 0) yield* appendSamples(this.userId, import_id, seriesId, pickRows(rows, theirs))
    }
  }

  /** Hands on a document that a remap had removed, to the import that has since added another one. */
  *removedDocument(
    kind: 'summary' | 'stream',
    item: string,
    before: { readonly document: string | null; readonly data: Uint8Array | null },
  ): Steps<void> {
    for (const key of yield* this.findKeys(kind, item)) {
      const row = yield* this.rowAt(key)
      if (row && row.document === null && row.rev !== REMOVED) return yield* this.put(key, before.data, before.document)
    }
  }

  /** Returns rows, earliest import first. */
  private *findKeys(kind: BeforeKind, item: string): Steps<readonly ImportBeforeKey[]> {
    this.keys ??= yield* this.read()
    return this.keys.get(`${kind} ${item}`) ?? []
  }

  private *read(): Steps<Map<string, ImportBeforeKey[]>> {
    const keys = new Map<string, ImportBeforeKey[]>()
    for (const { import_id } of yield* this.later()) yield* this.readImport(import_id, keys)
    return keys
  }

  /** Returns the later imports, earliest first. */
  private *later(): Steps<ImportTableRow[]> {
    const all = inOrder(yield* many(IMPORTS_OF_USER, [this.userId]))
    const own = all.findIndex(each => each.import_id === this.importId)
    return all.slice(own + 1).filter(each => each.undone_at === null)
  }

  private *readImport(importId: string, keys: Map<string, ImportBeforeKey[]>): Steps<void> {
    for (let rows = yield* beforeRows(this.userId, importId); rows.length > 0; ) {
      for (const { kind, item, import_id, ord } of rows) {
        const name = `${kind} ${item}`
        const known = keys.get(name)
        if (known) known.push({ import_id, ord })
        else keys.set(name, [{ import_id, ord }])
      }
      rows = yield* beforeRows(this.userId, importId, rows.at(-1))
    }
  }

  private rowAt({ import_id, ord }: ImportBeforeKey): Steps<ImportBeforeRow | undefined> {
    return beforeRow(this.userId, import_id, ord)
  }

  private *put(key: ImportBeforeKey, data: Uint8Array | null, document: string | null): Steps<void> {
    const row = yield* this.rowAt(key)
    if (row) yield* IMPORTS_BEFORE.update({ ...row, data, document })
  }

  private damageLocation({ import_id, ord }: ImportBeforeKey) {
    return { what: `the data that import ${import_id} replaced, row ${ord}`, userId: this.userId }
  }
}
