/** Sends the page's files one after the other, in the order in which they were added. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Problem, type ResponseOf } from '../../api/call.ts'
import { upload } from '../../api/upload.ts'
import { type ImportSettings, toImportQuery } from './settings.ts'

export type UploadReport = ResponseOf<'import.create'>

export type UploadState =
  | { readonly name: 'waiting' }
  /** The fraction sent, from 0 to 1. At 1, the server is reading and storing the file. */
  | { readonly name: 'sending'; readonly share: number }
  | { readonly name: 'done'; readonly report: UploadReport }
  | { readonly name: 'failed'; readonly problem: Problem }
  | { readonly name: 'stopped' }

export interface Upload {
  readonly id: number
  readonly file: File
  readonly userId: string
  readonly settings: ImportSettings
  readonly state: UploadState
  /** Table columns from the last refusal; empty if unknown. */
  readonly columns: readonly string[]
}

interface Uploads {
  /** The uploads, newest first. */
  readonly uploads: readonly Upload[]
  readonly add: (userId: string, files: readonly File[], settings: ImportSettings) => void
  readonly again: (id: number, settings: ImportSettings) => void
  readonly stop: (id: number) => void
  readonly drop: (id: number) => void
}

/** Returns the uploads. `onStored` runs after each file from which data may have been stored. */
export function useUploads(onStored: () => void): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const next = useRef(0)
  const running = useRef<{ readonly id: number; readonly controller: AbortController } | null>(null)
  const callback = useRef(onStored)
  callback.current = onStored
  const set = useCallback((id: number, part: Partial<Upload>) => {
    setUploads(before => before.map(each => (each.id === id ? { ...each, ...part } : each)))
  }, [])
  const waiting = uploads.findLast(each => each.state.name === 'waiting')
  const isBusy = uploads.some(each => each.state.name === 'sending')
  useEffect(() => {
    if (isBusy || waiting === undefined) return
    const { id } = waiting
    const controller = new AbortController()
    running.current = { id, controller }
    set(id, { state: { name: 'sending', share: 0 } })
    send(waiting, controller.signal, share => set(id, { state: { name: 'sending', share } })).then(state => {
      set(id, { state, ...columnsIn(state) })
      if (state.name === 'done' && !state.report.dry_run) callback.current()
    })
  }, [isBusy, waiting, set])
  // leaving the page stops its upload
  useEffect(() => () => running.current?.controller.abort(), [])
  const add = useCallback((userId: string, files: readonly File[], settings: ImportSettings) => {
    const added = files.map(file => ({
      id: next.current++,
      ...{ file, userId, settings },
      state: { name: 'waiting' } as const,
      columns: [],
    }))
    setUploads(before => [...added.reverse(), ...before])
  }, [])
  const again = useCallback(
    (id: number, settings: ImportSettings) => set(id, { settings, state: { name: 'waiting' } }),
    [set],
  )
  const stop = useCallback(
    (id: number) => {
      if (running.current?.id === id) running.current.controller.abort()
      else set(id, { state: { name: 'stopped' } })
    },
    [set],
  )
  const drop = useCallback((id: number) => setUploads(before => before.filter(each => each.id !== id)), [])
  return { uploads, add, again, stop, drop }
}

/**
 * Returns the columns that a refusal lists. A refusal that concerns only the mapping does not list columns, so the earlier columns stay.
 */
function columnsIn(state: UploadState): Pick<Upload, 'columns'> | null {
  const columns = state.name === 'failed' ? state.problem.fields.flatMap(each => each.columns ?? []) : []
  return columns.length === 0 ? null : { columns }
}

/** Returns whether the server refused a table because of its column mapping or the order of its dates. */
export function needsFields({ state, columns }: Upload): boolean {
  if (state.name !== 'failed') return false
  return columns.length > 0 || state.problem.fields.some(({ field }) => /^(?:mapping|date_order)(?:\.|$)/.test(field))
}

async function send(
  { userId, file, settings }: Upload,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<UploadState> {
  try {
    const input = { params: { user_id: userId }, query: toImportQuery(settings) }
    return { name: 'done', report: await upload('import.create', input, file, { signal, onProgress }) }
  } catch (error) {
    if (signal.aborted) return { name: 'stopped' }
    if (error instanceof Problem) return { name: 'failed', problem: error }
    throw error
  }
}
