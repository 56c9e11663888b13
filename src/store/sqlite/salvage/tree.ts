/** Traverses the tree of a table or index, and continues after unreadable parts. */
import type { PageFile } from './page-file.ts'
import { PAGE_KIND, type RecordCell, readCell, readChild, type TreePage, treePage, Unreadable } from './record.ts'

/** The result of traversing one tree. */
export interface UnreadableCounts {
  /** Number of pages that could not be read. The pages below them can only be found by reading every page. */
  unreadablePages: number
  /** Number of cells on readable pages that are not rows. */
  unreadableCells: number
}

export type TreeKind = 'table' | 'index'

/**
 * Yields every row that can be reached from the root, and adds its pages to `seen`. A page that was already reached does not belong to this
 * tree.
 */
export function* rowsOfTree(
  file: PageFile,
  root: number,
  kind: TreeKind,
  seen: Set<number>,
  unreadable: UnreadableCounts,
): Generator<RecordCell> {
  const left = [root]
  for (;;) {
    const number = left.pop()
    if (number === undefined) return
    const page = seen.has(number) ? undefined : readPage(file, number, kind)
    if (page === undefined) {
      unreadable.unreadablePages++
      continue
    }
    seen.add(number)
    if (isInner(page)) {
      left.push(page.last)
      for (const at of page.cells.toReversed()) {
        if (at + 4 <= page.bytes.length) left.push(readChild(page, at))
        else unreadable.unreadablePages++
      }
    }
    yield* rowsOfPage(file, page, unreadable)
  }
}

export interface StrayPage {
  readonly number: number
  readonly kind: TreeKind
  readonly cells: readonly RecordCell[]
}

/** Yields pages that no traversal has reached, with the rows that they may contain. */
export function* strayPages(file: PageFile, seen: ReadonlySet<number>): Generator<StrayPage> {
  for (let number = 2; number <= file.count; number++) {
    if (seen.has(number)) continue
    const page = readPage(file, number, 'table') ?? readPage(file, number, 'index')
    if (page === undefined) continue
    const kind = page.kind === PAGE_KIND.tableLeaf || page.kind === PAGE_KIND.tableInner ? 'table' : 'index'
    yield { number, kind, cells: [...rowsOfPage(file, page, { unreadablePages: 0, unreadableCells: 0 })] }
  }
}

/** Returns the free pages, whose rows were deleted. */
export function freePages(file: PageFile): Set<number> {
  const free = new Set<number>()
  let trunk = file.page(1)?.readUInt32BE(32) ?? 0
  while (trunk > 0 && !free.has(trunk)) {
    const page = file.page(trunk)
    if (page === undefined) break
    free.add(trunk)
    const count = Math.min(page.readUInt32BE(4), Math.floor(file.usableBytes / 4) - 2)
    for (let i = 0; i < count; i++) free.add(page.readUInt32BE(8 + 4 * i))
    trunk = page.readUInt32BE(0)
  }
  return free
}

function* rowsOfPage(file: PageFile, page: TreePage, unreadable: UnreadableCounts): Generator<RecordCell> {
  if (page.kind === PAGE_KIND.tableInner) return
  for (const at of page.cells) {
    try {
      yield readCell(file, page, at)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      unreadable.unreadableCells++
    }
  }
}

function isInner({ kind }: TreePage): boolean {
  return kind === PAGE_KIND.tableInner || kind === PAGE_KIND.indexInner
}

function readPage(file: PageFile, number: number, kind: TreeKind): TreePage | undefined {
  try {
    const page = treePage(file, number)
    const isOfTable = page.kind === PAGE_KIND.tableLeaf || page.kind === PAGE_KIND.tableInner
    return isOfTable === (kind === 'table') ? page : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
