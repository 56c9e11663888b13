/** Sends the page's files one after the other, in the order in which they were added, with import options as the query of the call. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { withoutEmpty } from '../../api/body.ts'
import { type Input, Problem, type ResponseOf } from '../../api/call.ts'
import { upload } from '../../api/upload.ts'

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

/** Returns the uploads, newest first, and what can be done with them. `onStored` runs after each file from which data may have been stored. */
export function useUploads(onStored: () => void) {
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

export type ImportSettings = {
  readonly isDryRun: boolean
  readonly keepsPartial: boolean
  readonly dateOrder: '' | 'dmy' | 'mdy'
  /** One `target=column` per line. */
  readonly columns: string
  /** Table rows to read, as one `column=value` per line; empty for all rows. */
  readonly where: string
  readonly resource: string
  readonly unit: string
  readonly timeZone: string
}

export const NO_SETTINGS: ImportSettings = {
  isDryRun: false,
  keepsPartial: false,
  dateOrder: '',
  columns: '',
  where: '',
  resource: '',
  unit: '',
  timeZone: '',
}

/** Returns pairs of a name and a text. A line without `=` is a name without a text, and the server refuses it by its name. */
function parsePairs(lines: string): readonly (readonly [string, string])[] {
  return lines
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => {
      const at = line.indexOf('=')
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    })
}

/** Returns the target of a column; an empty text if the column is not mapped. */
export function targetOf(settings: ImportSettings, column: string): string {
  return parsePairs(settings.columns).find(([, name]) => name === column)?.[0] ?? ''
}

/** Returns the settings with another target for a column; an empty text leaves the column out. A target has one column. */
export function withTarget(settings: ImportSettings, column: string, target: string): ImportSettings {
  const others = parsePairs(settings.columns).filter(([to, name]) => name !== column && to !== target)
  const pairs = target === '' ? others : [...others, [target, column] as const]
  return { ...settings, columns: pairs.map(([to, name]) => `${to}=${name}`).join('\n') }
}

function toImportQuery(settings: ImportSettings): Input<'import.create'>['query'] {
  const columns = Object.fromEntries(parsePairs(settings.columns))
  const where = Object.fromEntries(parsePairs(settings.where))
  const { isDryRun, keepsPartial, dateOrder: date_order, resource, unit, timeZone: time_zone } = settings
  const mapping = {
    ...(Object.keys(columns).length > 0 ? { columns } : {}),
    ...(Object.keys(where).length > 0 ? { where } : {}),
    ...withoutEmpty({ resource, unit, time_zone }),
  }
  return {
    ...(isDryRun ? { dry_run: true } : {}),
    ...(keepsPartial ? { keep_partial: true } : {}),
    ...(date_order === '' ? {} : { date_order }),
    ...(Object.keys(mapping).length > 0 ? { mapping: JSON.stringify(mapping) } : {}),
  }
}

/** Returns the words and flags of the command that imports with these settings. */
export function importCommand(userId: string, settings: ImportSettings) {
  const { isDryRun, keepsPartial, dateOrder, resource, unit, timeZone } = settings
  return {
    words: [
      ...['svc', 'import', 'FILE', '--user', userId],
      ...parsePairs(settings.columns).flatMap(([target, column]) => ['--map', `${target}=${column}`]),
      ...parsePairs(settings.where).flatMap(([column, value]) => ['--where', `${column}=${value}`]),
    ],
    flags: {
      '--dry-run': isDryRun,
      '--keep-partial': keepsPartial,
      '--date-order': dateOrder,
      '--resource': resource,
      '--unit': unit,
      '--time-zone': timeZone,
    },
  }
}
