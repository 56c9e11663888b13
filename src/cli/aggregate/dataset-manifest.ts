/** Reads and writes the manifest of a dataset folder, which lists the query and the finished buckets. */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { renameSynced, writePrivate } from '../../core/synced-file.ts'

/** Manifest file name. It starts with an underscore so that analytics engines ignore the file. */
export const MANIFEST = '_svc_dataset.json'
const VERSION = 1
/** Matches the temporary file of a killed run. */
const ABANDONED = /^\.part-0\.parquet\.\d+\.tmp$/

export interface FinishedBucket {
  readonly users: number
  /** Hash of the user IDs (`usersHash`); missing in manifests of an earlier version. */
  readonly users_hash?: string
  readonly rows: number
  /** File size; 0 if there is no file because there are no rows. */
  readonly bytes: number
}

export interface DatasetManifest {
  readonly svc_dataset: typeof VERSION
  /** Hash of the query and the data origin. */
  readonly hash: string
  readonly query: unknown
  readonly buckets: number
  readonly finished: Readonly<Record<string, FinishedBucket>>
}

/** Returns the hash of a query and of the server or data folder that it reads from. */
export function datasetHash(query: unknown, origin: string): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, query, origin]))
    .digest('hex')
}

/**
 * Returns the manifest of a folder, or a new one when the folder is empty or missing. Throws ServiceError `usage` when the folder contains
 * other files or another query's dataset.
 */
export async function openManifest(
  folder: string,
  wanted: Pick<DatasetManifest, 'hash' | 'query' | 'buckets'>,
): Promise<DatasetManifest> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    const why = error.code === 'ENOTDIR' ? 'it is a file' : 'it cannot be read'
    throw new ServiceError('usage', `A dataset cannot be written to ${folder}: ${why}.`)
  })
  if (names.length === 0) return { svc_dataset: VERSION, ...wanted, finished: {} }
  if (!names.includes(MANIFEST)) {
    throw new ServiceError('usage', `The folder ${folder} is not empty and does not contain a dataset.`, {
      suggestions: ['Choose an empty or new folder.'],
    })
  }
  const found = await readManifest(folder)
  if (found?.hash === wanted.hash) return found
  throw new ServiceError('usage', `The folder ${folder} contains a dataset of another query or of other data.`, {
    suggestions: [
      `Choose a new folder, or repeat the query in ${MANIFEST}. A query from flags without --anchor changes every day.`,
    ],
  })
}

/** Replaces the manifest of a folder. */
export async function saveManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  const target = path.join(folder, MANIFEST)
  const part = `${target}.${process.pid}.tmp`
  try {
    writePrivate(part, `${JSON.stringify(manifest, null, 2)}\n`)
    renameSynced(part, target)
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {})
    throw isDiskFull(cause)
      ? new ServiceError('disk_full', `The disk that holds ${folder} is full. Finished buckets are kept.`, { cause })
      : new ServiceError('usage', `The folder ${folder} cannot be written to.`, { cause })
  }
}

/** Returns a hash of a bucket's users. A count is not enough: a deleted user would stay in the file if another user was added. */
export function usersHash(users: readonly string[]): string {
  return createHash('sha256').update(users.join('\n')).digest('hex')
}

/** Returns whether a bucket is finished: its users have not changed, and its file still has its original size. */
export async function isFinished(
  manifest: DatasetManifest,
  name: string,
  users: readonly string[],
  file: string,
): Promise<boolean> {
  const known = manifest.finished[name]
  if (known?.users_hash !== usersHash(users)) return false
  if (known.bytes === 0) return true
  return (await stat(file).catch(() => undefined))?.size === known.bytes
}

/** Removes temporary files left by an unfinished run. */
export async function removeTemporaryFiles(bucketFolder: string): Promise<void> {
  for (const name of await readdir(bucketFolder).catch(() => [])) {
    if (ABANDONED.test(name)) await rm(path.join(bucketFolder, name), { force: true })
  }
}

async function readManifest(folder: string): Promise<DatasetManifest | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path.join(folder, MANIFEST), 'utf8'))
    // only svc writes a file with this name, and the query hash in it must match
    return typeof found === 'object' && found !== null && 'hash' in found ? (found as DatasetManifest) : undefined
  } catch {
    return undefined
  }
}
