/** Where the rows of tables are in a database file: the bytes of their cells, including overflow pages. */

export interface CellRange {
  readonly table: string
  readonly from: number
  readonly bytes: number
}

const LEAF = 13
const INTERIOR = 5

/** Reads a varint and returns it with its length in bytes. */
function varint(file: Buffer, at: number): [number, number] {
  let value = 0
  for (let i = 0; i < 8; i++) {
    const byte = file[at + i] as number
    value = value * 128 + (byte & 0x7f)
    if (byte < 128) return [value, i + 1]
  }
  return [value * 256 + (file[at + 8] as number), 9]
}

/** Returns the cells of a table with rowids, each with its overflow pages. */
export function listCells(file: Buffer, table: string, root: number): CellRange[][] {
  const pageSize = file.readUInt16BE(16) === 1 ? 65_536 : file.readUInt16BE(16)
  const usable = pageSize - (file[20] as number)
  const cells: CellRange[][] = []
  const visit = (page: number): void => {
    const start = (page - 1) * pageSize
    const head = start + (page === 1 ? 100 : 0)
    const kind = file[head]
    const count = file.readUInt16BE(head + 3)
    if (kind !== LEAF && kind !== INTERIOR) throw new Error(`page ${page} of ${table} is none of a table with rowids`)
    const pointers = head + (kind === LEAF ? 8 : 12)
    for (let i = 0; i < count; i++) {
      const at = start + file.readUInt16BE(pointers + 2 * i)
      if (kind === INTERIOR) visit(file.readUInt32BE(at))
      else cells.push(cellAt(at))
    }
    if (kind === INTERIOR) visit(file.readUInt32BE(head + 8))
  }
  const cellAt = (at: number): CellRange[] => {
    const [payload, a] = varint(file, at)
    const [, b] = varint(file, at + a)
    const most = usable - 35
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const fitting = least + ((payload - least) % (usable - 4))
    const local = payload <= most ? payload : fitting <= most ? fitting : least
    const hasMore = payload > local
    const parts: CellRange[] = [{ table, from: at, bytes: a + b + local + (hasMore ? 4 : 0) }]
    let left = payload - local
    let next = hasMore ? file.readUInt32BE(at + a + b + local) : 0
    while (left > 0) {
      const from = (next - 1) * pageSize
      const here = Math.min(left, usable - 4)
      parts.push({ table, from, bytes: 4 + here })
      left -= here
      next = file.readUInt32BE(from)
    }
    return parts
  }
  visit(root)
  return cells
}
