/** Copies a whole store into an empty one, from a data folder to a PostgreSQL database or back. See docs/postgres.md. */
import { resolve } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { type StoreUrl, shownStore } from '../../core/store-url.ts'
import { dataFolderAt, keyPath, openDataFolder } from '../folder/data-folder.ts'
import { giveKey, keyOfEnvironment, keyOfFolder, sharedMasterKey } from '../folder/master-key.ts'
import { type CopyOptions, copyRows } from './copy-rows.ts'
import type { CopyReport, CopySource, CopyTarget } from './side.ts'

/** A PostgreSQL store, or the path of a data folder. */
export type CopyLocation = StoreUrl | string

export interface CopyStoreOptions extends CopyOptions {
  readonly from: CopyLocation
  readonly to: CopyLocation
  /** Receives a warning, for example that the password file is not used. */
  readonly note?: ((line: string) => void) | undefined
}

/**
 * Copies a store, or continues an interrupted copy. Throws ServiceError `usage`, `master_key`, `conflict`, `data_folder`, `store_unusable`,
 * `store_unreachable`, `data_damaged`, `disk_full` or `cancelled`. After `cancelled`, or if the process was killed, the same call continues
 * the copy.
 */
export async function copyStore({ from, to, note, ...options }: CopyStoreOptions): Promise<CopyReport> {
  if (locationName(from) === locationName(to))
    throw new ServiceError('usage', 'The source and the target are the same store.', {
      suggestions: ['Specify a new folder or an empty database with --to.'],
    })
  const key = keyOfCopy(from, to)
  const source = await openSource(from, note)
  try {
    const target = await openTarget(to, note)
    try {
      if (key && typeof to === 'string') giveKey(openDataFolder(resolve(to)), key)
      return await copyRows(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function locationName(location: CopyLocation): string {
  return typeof location === 'string' ? resolve(location) : shownStore(location)
}

/**
 * Returns the master key of both stores, or undefined if the source has never needed one. Throws ServiceError `master_key` if
 * SVC_MASTER_KEY is missing for a PostgreSQL store, or if a folder has another key.
 */
function keyOfCopy(from: CopyLocation, to: CopyLocation): Uint8Array | undefined {
  const folders = [from, to].filter(location => typeof location === 'string')
  const stored = folders.flatMap(folder => {
    const key = keyOfFolder(dataFolderAt(resolve(folder)))
    return key ? [{ folder, key }] : []
  })
  const given = keyOfEnvironment()
  const isShared = folders.length < 2
  if (isShared && given === undefined && stored.length === 0) return sharedMasterKey(undefined)
  const key = given ?? (isShared ? undefined : stored[0]?.key)
  for (const each of stored) if (!isSame(each.key, key)) throw otherKey(each.folder)
  return key
}

function isSame(found: Uint8Array, key: Uint8Array | undefined): boolean {
  return key !== undefined && Buffer.compare(found, key) === 0
}

function otherKey(folder: string): ServiceError {
  const path = keyPath(dataFolderAt(resolve(folder)))
  return new ServiceError(
    'master_key',
    `Both stores need the same master key, because sealed secrets are copied as they are. SVC_MASTER_KEY is not the key in ${path}.`,
    {
      suggestions: [
        `To use the key of the folder, run: export SVC_MASTER_KEY="$(cat ${path})"`,
        'If the folder has always been used with SVC_MASTER_KEY, move the file away.',
      ],
    },
  )
}

async function openSource(from: CopyLocation, note?: (line: string) => void): Promise<CopySource> {
  if (typeof from === 'string') return (await import('./sqlite-side.ts')).openFolderSource(resolve(from), note)
  const { openDatabaseSource } = await import('./postgres-side.ts')
  return openDatabaseSource(await openSide(from, note))
}

async function openTarget(to: CopyLocation, note?: (line: string) => void): Promise<CopyTarget> {
  if (typeof to === 'string') return (await import('./sqlite-side.ts')).openFolderTarget(resolve(to), note)
  const { openDatabaseTarget } = await import('./postgres-side.ts')
  return openDatabaseTarget(await openSide(to, note))
}

async function openSide(url: StoreUrl, note?: (line: string) => void) {
  const { masterKeyCheck } = await import('../postgres/master-key-check.ts')
  const { withPassword } = await import('../postgres/password.ts')
  const key = sharedMasterKey(process.env['SVC_MASTER_KEY'])
  return { url: await withPassword(url, note), masterKeyCheck: masterKeyCheck(key), note }
}
