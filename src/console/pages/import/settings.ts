/** Import options, as the query of a call and as a command. */
import { withoutEmpty } from '../../api/body.ts'
import type { Input } from '../../api/call.ts'

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

export function toImportQuery(settings: ImportSettings): Input<'import.create'>['query'] {
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
