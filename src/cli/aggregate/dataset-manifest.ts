/** What a dataset folder says of itself: of which query it is, and which of its buckets are finished. */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { renameSynced, writePrivate } from '../../core/synced-file.ts'

/** Begins with an underscore: engines that read the folder pass it over. */
export const MANIFEST = '_svc_dataset.json'
const VERSION = 1
/** What a run that was killed leaves behind. */
const ABANDONED = /^\.part-0\.parquet\.\d+\.tmp$/

export interface FinishedBucket {
  readonly users: number
  /** Of their ids (`usersHash`); an earlier version did not say it. */
  readonly users_hash?: string
  readonly rows: number
  /** Of its file; 0: there is none, because there are no rows. */
  readonly bytes: number
}

export interface Manifest {
  readonly svc_dataset: typeof VERSION
  /** Of the query and of where the data came from. */
  readonly hash: string
  readonly query: unknown
  readonly buckets: number
  readonly finished: Readonly<Record<string, FinishedBucket>>
}

/** The hash of a query over the data of a server or data folder. */
export function datasetHash(query: unknown, origin: string): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, query, origin]))
    .digest('hex')
}

/**
 * The manifest of a folder, or a new one for a folder that is empty or not there yet. Throws ServiceError `usage` for a folder
 * that holds something else, and for the dataset of another query.
 */
export async function openManifest(
  folder: string,
  wanted: Pick<Manifest, 'hash' | 'query' | 'buckets'>,
): Promise<Manifest> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    const why = error.code === 'ENOTDIR' ? 'it is a file' : 'it cannot be read'
    throw new ServiceError('usage', `${folder} is no folder that a dataset can be written into: ${why}.`)
  })
  if (names.length === 0) return { svc_dataset: VERSION, ...wanted, finished: {} }
  if (!names.includes(MANIFEST)) {
    throw new ServiceError('usage', `The folder ${folder} is not empty, and holds no dataset.`, {
      suggestions: ['Name a new folder.'],
    })
  }
  const found = await readManifest(folder)
  if (found?.hash === wanted.hash) return found
  throw new ServiceError('usage', `The folder ${folder} holds the dataset of another query, or of other data.`, {
    suggestions: [
      `Name a new folder, or repeat the query that stands in ${MANIFEST}; a query of flags without --anchor is another one ` +
        'every day.',
    ],
  })
}

/** Replaces the manifest of a folder. */
export async function saveManifest(folder: string, manifest: Manifest): Promise<void> {
  const target = path.join(folder, MANIFEST)
  const part = `${target}.${process.pid}.tmp`
  try {
    writePrivate(part, `${JSON.stringify(manifest, null, 2)}\n`)
    renameSynced(part, target)
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {})
    throw isDiskFull(cause)
      ? new ServiceError(
          'disk_full',
          `The disk that holds ${folder} is full; the buckets that are finished are kept.`,
          { cause },
        )
      : new ServiceError('usage', `The folder ${folder} cannot be written.`, { cause })
  }
}

/** The hash of the users of a bucket: one who was deleted must not stay in its file because another one came. */
export function usersHash(users: readonly string[]): string {
  return createHash('sha256').update(users.join('\n')).digest('hex')
}

/** Whether a bucket is finished, for the users that there are now, and its file still the one that was written. */
export async function isFinished(
  manifest: Manifest,
  name: string,
  users: readonly string[],
  file: string,
): Promise<boolean> {
  const known = manifest.finished[name]
  if (known?.users_hash !== usersHash(users)) return false
  if (known.bytes === 0) return true
  return (await stat(file).catch(() => undefined))?.size === known.bytes
}

/** Removes what an earlier run could not finish. */
export async function removeAbandoned(bucketFolder: string): Promise<void> {
  for (const name of await readdir(bucketFolder).catch(() => [])) {
    if (ABANDONED.test(name)) await rm(path.join(bucketFolder, name), { force: true })
  }
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path.join(folder, MANIFEST), 'utf8'))
    return typeof found === 'object' && found !== null && 'hash' in found ? (found as Manifest) : undefined
  } catch {
    return undefined
  }
}
