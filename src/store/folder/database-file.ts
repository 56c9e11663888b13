/** Reads facts about a database file without opening the database: the size in its header, and whether a data folder uses it. */
import { stat } from 'node:fs/promises'
import { dataFolderAt, keyPath } from './data-folder.ts'
import { BESIDE } from './file-ids.ts'

/** First bytes of a database file. The header also contains the size in pages. */
const MAGIC = 'SQLite format 3\u0000'
/** Number of bytes up to the end of the size field. */
export const HEAD_BYTES = 32

/** Returns a database's size from the first bytes of its file, or undefined if the file is not a database. */
export function sizeInHead(head: Buffer): number | undefined {
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  const page = head.readUInt16BE(16)
  return head.readUInt32BE(28) * (page === 1 ? 65_536 : page)
}

/** Returns whether a file belongs to this data folder or is a database that a process has open. */
export async function isInUse(file: string, dataDir: string): Promise<boolean> {
  const folder = dataFolderAt(dataDir)
  const own = ['', ...BESIDE].map(part => `${folder.database}${part}`)
  const [found, log, ...live] = await Promise.all([file, `${file}-wal`, ...own, keyPath(folder)].map(statFile))
  return log !== undefined || live.some(each => each !== undefined && each.ino === found?.ino && each.dev === found.dev)
}

function statFile(file: string) {
  return stat(file).catch(() => undefined)
}
