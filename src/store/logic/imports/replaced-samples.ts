/** Reads the samples that an import replaced. */
import type { UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import { joinColumns, sortColumns } from '../../chunk/columns.ts'
import { unpackSamples } from '../rows/damage.ts'
import { IMPORTS_BEFORE } from '../rows/tables.ts'
import type { Steps } from '../steps.ts'
import { beforeRow, beforeRows, REMOVED } from './imports.ts'

/** Reads the samples that the import replaced, with only one series in memory at a time. */
export class ReplacedSamples {
  private seriesId = -1
  private columns: SampleColumns | null = null
  private positions: Map<string, number[]> | null = null
  private readonly userId: UserId
  private readonly importId: string

  constructor(userId: UserId, importId: string) {
    this.userId = userId
    this.importId = importId
  }

  /** Returns the replaced samples of the series in ascending order of start, or null if there are none. */
  *of(seriesId: number): Steps<SampleColumns | null> {
    if (seriesId === this.seriesId) return this.columns
    this.positions ??= yield* this.read()
    const parts: SampleColumns[] = []
    for (const ord of this.positions.get(`${seriesId}`) ?? []) {
      const row = yield* beforeRow(this.userId, this.importId, ord)
      if (row?.data) parts.push(unpackSamples(row.data, () => IMPORTS_BEFORE.damageLocation(row)))
    }
    this.seriesId = seriesId
    this.columns = parts.length === 0 ? null : sortColumns(joinColumns(parts), () => {})
    return this.columns
  }

  /** Returns the numbers of the rows that contain each series' samples, by series number. */
  private *read(): Steps<Map<string, number[]>> {
    const positions = new Map<string, number[]>()
    for (let rows = yield* beforeRows(this.userId, this.importId); rows.length > 0; ) {
      for (const { kind, item, rev, ord } of rows) {
        if (kind === 'samples' && rev !== REMOVED) positions.set(item, [...(positions.get(item) ?? []), ord])
      }
      rows = yield* beforeRows(this.userId, this.importId, rows.at(-1))
    }
    return positions
  }
}
