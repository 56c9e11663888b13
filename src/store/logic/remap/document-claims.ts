/** The versions of summaries and streams that some imports wrote. A remap may change or remove those that are still current. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { beforeRow, beforeRows, REMOVED } from '../imports/imports.ts'
import { storedJson } from '../rows/damage.ts'
import { IMPORTS_BEFORE, type ImportBeforeRow, type ImportTableRow } from '../rows/tables.ts'
import type { Steps } from '../steps.ts'

interface DocumentClaim {
  readonly importId: string
  readonly ord: number
  /** The `updated_at` of the version, or REMOVED if a remap removed the document. */
  readonly rev: number | null
  readonly hasReplaced: boolean
  /** The `updated_at` of the version that a remap restored, or null. */
  readonly restoredRev: EpochMs | null
  /** The `updated_at` of the version that was replaced, or null. */
  readonly formerRev: EpochMs | null
}

type DocumentKind = 'summary' | 'stream'

export class DocumentClaims {
  /** The claims for each document, earliest first. */
  private readonly claims = new Map<string, DocumentClaim[]>()
  private readonly made = new Set<string>()
  private readonly userId: UserId

  private constructor(userId: UserId) {
    this.userId = userId
  }

  /** Reads the claims of these imports, earliest import first. */
  static *read(userId: UserId, imports: readonly ImportTableRow[]): Steps<DocumentClaims> {
    const found = new DocumentClaims(userId)
    for (const { import_id } of imports) {
      for (let rows = yield* beforeRows(userId, import_id); rows.length > 0; ) {
        for (const row of rows) found.add(row)
        rows = yield* beforeRows(userId, import_id, rows.at(-1))
      }
    }
    return found
  }

  /** Returns the last version that was written; REMOVED if it was removed, undefined if there was none. `item` is as in `import_before`. */
  latest(kind: DocumentKind, item: string): number | null | undefined {
    return this.claims.get(`${kind} ${item}`)?.at(-1)?.rev
  }

  /** Returns the version that a remap restored last, if nothing was written since; otherwise null. */
  restored(kind: DocumentKind, item: string): EpochMs | null {
    return this.claims.get(`${kind} ${item}`)?.at(-1)?.restoredRev ?? null
  }

  /** Returns whether the last version replaced another one. */
  hasReplaced(kind: DocumentKind, item: string): boolean {
    return this.claims.get(`${kind} ${item}`)?.at(-1)?.hasReplaced === true
  }

  /** Notes that the new mapping makes a document. */
  noteMade(kind: DocumentKind, item: string): void {
    this.made.add(`${kind} ${item}`)
  }

  /** Returns the documents that the new mapping does not make, with the version that was last written. */
  unmade(kind: DocumentKind): { readonly item: string; readonly rev: number | null }[] {
    return [...this.claims].flatMap(([name, claims]) => {
      const rev = claims.at(-1)?.rev ?? null
      const isUnmade = name.startsWith(`${kind} `) && !this.made.has(name) && rev !== REMOVED
      return isUnmade ? [{ item: name.slice(kind.length + 1), rev }] : []
    })
  }

  /** Returns the version of a document before the first of these imports that others have not changed since; null if there was none. */
  *former(kind: DocumentKind, item: string): Steps<ImportBeforeRow | null> {
    const claims = [...(this.claims.get(`${kind} ${item}`) ?? [])]
    for (let claim = claims.pop(); claim; ) {
      const row = yield* beforeRow(this.userId, claim.importId, claim.ord)
      if (!row?.document) return null
      const version = versionIn(row, row.document)
      const own = claims.findLastIndex(each => each.rev === version)
      if (own === -1) return row
      claim = claims[own]
      claims.length = own
    }
    return null
  }

  private add(row: ImportBeforeRow): void {
    const { kind, item, document, import_id: importId, ord } = row
    if (kind !== 'summary' && kind !== 'stream') return
    const name = `${kind} ${item}`
    const known = this.claims.get(name) ?? []
    this.claims.set(name, known)
    // a version that had been replaced before belongs to others: a remap restored it
    const isRestored = row.rev !== null && known.some(({ formerRev }) => formerRev === row.rev)
    const formerRev = document === null ? null : versionIn(row, document)
    const rev = isRestored ? REMOVED : row.rev
    known.push({
      importId,
      ord,
      rev,
      hasReplaced: document !== null,
      formerRev,
      restoredRev: isRestored ? row.rev : null,
    })
  }
}

function versionIn(row: ImportBeforeRow, document: string): EpochMs {
  return storedJson<{ updated_at: EpochMs }>(document, () => IMPORTS_BEFORE.damageLocation(row)).updated_at
}
