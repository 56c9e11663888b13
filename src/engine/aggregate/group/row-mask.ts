/**
 * Marks the rows of a block that a where clause keeps. Indexed reads are unchecked (`as number`) because the loops are hot and the indices
 * are always in range.
 */
import { countCodes, HISTOGRAM_FROM } from '../functions/histogram.ts'

/** Marks which codes of a packed column are kept: 1 or 0 for each of the 256 codes. */
export interface KeptCodes {
  readonly codes: Uint8Array
  readonly table: Uint8Array
}

export class RowMask {
  /** Set if the clause depends only on one packed column. */
  readonly byCode: KeptCodes | null
  private made: Uint8Array | null

  private constructor(rows: Uint8Array | null, byCode: KeptCodes | null) {
    this.made = rows
    this.byCode = byCode
  }

  /** `rows` contains 1 for each row that is kept and 0 for the others. */
  static ofRows(rows: Uint8Array): RowMask {
    return new RowMask(rows, null)
  }

  static ofCodes(byCode: KeptCodes): RowMask {
    return new RowMask(null, byCode)
  }

  /** One byte per row, 1 or 0. Built on first use, because the code counts are usually enough. */
  get rows(): Uint8Array {
    this.made ??= maskRows(this.byCode as KeptCodes)
    return this.made
  }

  /** Returns how many of the rows [from, to) are kept. */
  keptIn(from: number, to: number): number {
    let kept = 0
    if (this.byCode && to - from >= HISTOGRAM_FROM) {
      const { codes, table } = this.byCode
      const bins = countCodes(codes, from, to)
      for (let code = 0; code < 256; code++) kept += (bins[code] as number) * (table[code] as number)
      return kept
    }
    const { rows } = this
    for (let i = from; i < to; i++) kept += rows[i] as number
    return kept
  }
}

function maskRows({ codes, table }: KeptCodes): Uint8Array {
  const rows = new Uint8Array(codes.length)
  for (let i = 0; i < rows.length; i++) rows[i] = table[codes[i] as number] as number
  return rows
}
