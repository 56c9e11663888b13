/** The values of the global flags on a command line. */
import { ServiceError } from '../../core/errors.ts'
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import type { SettingFlags } from '../../profile/settings.ts'
import { checkSelectable, parseSelection, type Selection } from '../scripting/selection.ts'

export interface SharedValues extends SettingFlags {
  readonly output: OutputFormat | FileFormat | undefined
  readonly json: boolean
  readonly wide: boolean
  readonly noPager: boolean
  readonly noInput: boolean
  readonly quiet: boolean
  readonly isSafeCsv: boolean
  /** Whether a flag requests data for a program instead of a table. A pipe alone does not count. */
  readonly wantsData: boolean
  readonly selection: Selection | undefined
}

/** A parsed command line, as the framework returns it. Flag values have the types of their definitions, so the casts are safe. */
interface Parsed {
  readonly flags: Readonly<Record<string, unknown>>
  readonly raw: readonly ({ readonly type: 'flag'; readonly flag: string } | { readonly type: 'arg' })[]
}

/** Throws ServiceError `usage` for flags that cannot be used together. */
export function readSharedValues({ flags, raw }: Parsed): SharedValues {
  const given = new Set(raw.flatMap(token => (token.type === 'flag' ? [token.flag] : [])))
  // Only flags on the command line are read here. Environment variables are resolved later, together with their source (whoami).
  const givenFlag = (name: string) => (given.has(name) ? (flags[name] as string) : undefined)
  const output = flags['output'] as SharedValues['output']
  const json = flags['json'] === true
  const selection = parseSelection(flags['fields'] as string | undefined, flags['jq'] as string | undefined)
  const values: SharedValues = {
    output,
    json,
    wide: flags['wide'] === true,
    noPager: flags['no-pager'] === true,
    noInput: flags['no-input'] === true,
    quiet: flags['quiet'] === true,
    isSafeCsv: flags['safe-csv'] === true,
    wantsData: json || selection !== undefined || (output !== undefined && output !== 'table'),
    selection,
    profile: givenFlag('profile'),
    baseUrl: givenFlag('base-url'),
    dataDir: givenFlag('data-dir'),
    store: givenFlag('store'),
  }
  if (given.has('json') && given.has('output') && output !== 'json') {
    throw new ServiceError('usage', `--json and --output ${output} cannot be used together.`)
  }
  if (selection && given.has('output')) checkSelectable(selection, output)
  return values
}
