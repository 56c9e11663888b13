/** Reads SQLite's write-ahead log to find out which pages were committed and where they are. */
import { fstatSync, readSync } from 'node:fs'

const HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
/** First bytes of a log. The last bit determines the byte order of the checksums. */
const MAGIC = 0x377f0682

export interface CommittedPages {
  /** Offset of each page's newest version. */
  readonly offsets: Map<number, number>
  /** Whether there are commits after a damaged frame. They are lost, as they would be in SQLite. */
  readonly isCut: boolean
}

/** Returns a log's page size, or undefined if the file is not a log. */
export function pageSizeOfLog(file: number): number | undefined {
  const head = read(file, 0, HEAD_BYTES)
  if ((head.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return undefined
  return head.readUInt32BE(8)
}

/** Returns the committed pages in a log whose page size is known to be valid. */
export function committedPages(file: number): CommittedPages {
  const head = read(file, 0, HEAD_BYTES)
  const pageBytes = head.readUInt32BE(8)
  const salts = head.subarray(16, 24)
  const sum = new FrameSum(head.readUInt32BE(0) % 2 === 1)
  sum.add(head.subarray(0, 24))
  const offsets = new Map<number, number>()
  if (!sum.is(head.readUInt32BE(24), head.readUInt32BE(28))) return { offsets, isCut: false }
  const bytes = fstatSync(file).size
  const pending = new Map<number, number>()
  let isSound = true
  for (let at = HEAD_BYTES; at + FRAME_HEAD_BYTES + pageBytes <= bytes; at += FRAME_HEAD_BYTES + pageBytes) {
    const frame = read(file, at, FRAME_HEAD_BYTES + pageBytes)
    // left over from an earlier use of the file
    if (!frame.subarray(8, 16).equals(salts)) break
    const isCommit = frame.readUInt32BE(4) > 0
    if (isSound) {
      sum.add(frame.subarray(0, 8))
      sum.add(frame.subarray(FRAME_HEAD_BYTES))
      isSound = sum.is(frame.readUInt32BE(16), frame.readUInt32BE(20))
    }
    if (!isSound && isCommit) return { offsets, isCut: true }
    if (!isSound) continue
    pending.set(frame.readUInt32BE(0), at + FRAME_HEAD_BYTES)
    if (!isCommit) continue
    for (const [page, offset] of pending) offsets.set(page, offset)
    pending.clear()
  }
  return { offsets, isCut: false }
}

class FrameSum {
  private readonly isBigEndian: boolean
  private a = 0
  private b = 0

  constructor(isBigEndian: boolean) {
    this.isBigEndian = isBigEndian
  }

  add(bytes: Buffer): void {
    for (let i = 0; i < bytes.length; i += 8) {
      const first = this.isBigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i)
      const second = this.isBigEndian ? bytes.readUInt32BE(i + 4) : bytes.readUInt32LE(i + 4)
      this.a = (this.a + first + this.b) >>> 0
      this.b = (this.b + second + this.a) >>> 0
    }
  }

  is(a: number, b: number): boolean {
    return this.a === a && this.b === b
  }
}

function read(file: number, from: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  readSync(file, buffer, 0, bytes, from)
  return buffer
}
