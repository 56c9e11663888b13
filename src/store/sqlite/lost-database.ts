/** Reports that a data folder's database was lost, and how to recover one. */
import { statSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import { quotedPath } from '../../core/private-file.ts'
import type { DataFolder } from '../folder/data-folder.ts'
import { type DatabaseLoss, markPath } from '../folder/store-mark.ts'
import { snapshotNames, snapshotPath } from './snapshots/named-files.ts'

const MOST_NAMES = 8

const WHAT: Readonly<Record<DatabaseLoss, string>> = {
  missing: 'is missing',
  empty: 'is empty',
  foreign: 'belongs to another store',
  older: 'is not the one that the folder had: it was created by an older svc',
}

/** The ServiceError `data_damaged` for a lost database. An empty store never replaces a lost one. */
export class LostDatabase extends ServiceError {
  constructor(folder: DataFolder, loss: DatabaseLoss) {
    super(
      'data_damaged',
      `The data folder ${folder.path} had a store, but its database svc.db ${WHAT[loss]}; nothing was changed.`,
      { suggestions: suggestions(folder, loss) },
    )
  }
}

function suggestions(folder: DataFolder, loss: DatabaseLoss): string[] {
  const isThere = loss === 'foreign' || loss === 'older'
  return [
    'If the database was moved, stop every svc on this folder and put it back.',
    ...snapshotLines(folder),
    isThere
      ? `To keep the current database, run: rm ${quotedPath(markPath(folder))}`
      : 'For a new, empty store, choose another folder with --data-dir or SVC_DATA_DIR.',
  ]
}

function snapshotLines(folder: DataFolder): string[] {
  const names = newestFirst(folder)
  const [newest, ...others] = names
  if (newest === undefined) return ['The folder contains no snapshots. Copy a backup of svc.db into it.']
  const left = others.length - MOST_NAMES
  const more = left > 0 ? ` and ${left} more` : ''
  return [
    `To restore the newest snapshot, run: svc engine snapshot restore ${newest} --yes --data-dir ${quotedPath(folder.path)}`,
    ...(others.length > 0 ? [`Other snapshots, newest first: ${others.slice(0, MOST_NAMES).join(', ')}${more}.`] : []),
  ]
}

function newestFirst({ database }: DataFolder): readonly string[] {
  const time = (name: string) => statSync(snapshotPath(database, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return snapshotNames(database)
    .map(name => ({ name, at: time(name) }))
    .sort((a, b) => b.at - a.at)
    .map(({ name }) => name)
}
