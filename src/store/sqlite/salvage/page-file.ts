/** Reads the pages of a database file that SQLite may refuse to open, both from the file itself and from its log. Changes nothing. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { ServiceError } from '../../../core/errors.ts'
import { dataFolderError } from '../../folder/data-folder.ts'
import { committedPages, pageSizeOfLog } from './log-file.ts'

const HEAD_BYTES = 100
/** Page size to assume if a file's header is damaged. This is the size that svc uses. */
const USUAL_PAGE_BYTES = 8192

export class PageFile {
  readonly pageBytes: number
  /** Number of usable bytes per page. */
  readonly usableBytes: number
  /** Number of pages. Page numbers start at 1. */
  readonly count: number
  /** Whether changes after a damaged position in the log are lost. */
  readonly isLogCut: boolean
  private readonly file: number
  private readonly log: number | null
  private readonly inLog: ReadonlyMap<number, number>
  private readonly pin: DatabaseSyncInstance | null

  readonly path: string
  private readonly stateBefore: string

  /** `isInUse` means that a server is running on the folder. Throws ServiceError `data_folder`. */
  constructor(path: string, isInUse: boolean) {
    this.path = path
    try {
      this.file = openSync(path, 'r')
    } catch (error) {
      throw dataFolderError(path, error)
    }
    this.pin = isInUse ? pinned(path) : null
    this.stateBefore = fileState(path)
    const bytes = fstatSync(this.file).size
    const head = this.read(this.file, 0, HEAD_BYTES)
    this.log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, 'r') : null
    const ofLog = this.log === null ? undefined : pageSizeOfLog(this.log)
    this.pageBytes = readPageSize(head) ?? ofLog ?? USUAL_PAGE_BYTES
    this.usableBytes = this.pageBytes
    const committed =
      this.log !== null && ofLog === this.pageBytes ? committedPages(this.log) : { offsets: new Map(), isCut: false }
    this.inLog = committed.offsets
    this.isLogCut = committed.isCut
    this.count = Math.max(Math.floor(bytes / this.pageBytes), ...this.inLog.keys())
  }

  /** Returns the page with this number, or undefined if the file ends before the end of the page. */
  page(number: number): Buffer | undefined {
    if (!(number >= 1 && number <= this.count)) return undefined
    const offset = this.inLog.get(number)
    if (offset !== undefined && this.log !== null) return this.read(this.log, offset, this.pageBytes)
    return this.read(this.file, (number - 1) * this.pageBytes, this.pageBytes)
  }

  /**
   * Throws ServiceError `store_busy` if another process wrote while the file was being read, because pages from two states are not
   * consistent.
   */
  checkUnchanged(): void {
    if (this.pin !== null || fileState(this.path) === this.stateBefore) return
    throw new ServiceError('store_busy', 'Another process wrote to the data folder while it was being read.', {
      suggestions: ['Try again when no other process uses it.'],
    })
  }

  close(): void {
    this.pin?.close()
    closeSync(this.file)
    if (this.log !== null) closeSync(this.log)
  }

  private read(file: number, from: number, bytes: number): Buffer {
    const page = Buffer.alloc(bytes)
    readSync(file, page, 0, bytes, from)
    return page
  }
}

function fileState(path: string): string {
  return [path, `${path}-wal`]
    .map(each => statSync(each, { bigint: true, throwIfNoEntry: false }))
    .map(found => `${found?.mtimeNs} ${found?.size}`)
    .join(', ')
}

/**
 * Holds a snapshot, so that no changes newer than this log are moved into the file and the log is not restarted. Returns null if SQLite
 * does not accept the file. (Holding a snapshot writes to the lock file, which must not change in an unused folder.)
 */
function pinned(path: string): DatabaseSyncInstance | null {
  let database: DatabaseSyncInstance | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true })
    database.exec('PRAGMA busy_timeout=1000; BEGIN')
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  } catch {
    database?.close()
    return null
  }
}

function readPageSize(head: Buffer): number | undefined {
  const size = head.readUInt16BE(16)
  return pageSize(size === 1 ? 65_536 : size)
}

/** Returns a page size if it is valid, or undefined otherwise. */
export function pageSize(size: number): number | undefined {
  return size >= 512 && size <= 65_536 && Number.isInteger(Math.log2(size)) ? size : undefined
}
