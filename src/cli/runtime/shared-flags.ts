/** The flags that every command has. */
import { boolean, option, string } from '@oclif/core/flags'
import { type FileFormat, OUTPUT_FORMATS } from '../../output/render.ts'
import type { GLOBAL_FLAGS } from './global-flags.ts'

const GROUP = 'GLOBAL'

/** `--output`. A command that has additional formats replaces the shared flag with its own. */
export const outputFlag = (...more: readonly FileFormat[]) =>
  option({
    options: [...OUTPUT_FORMATS, ...more],
    description: 'Output format; defaults to table on a terminal and json in a pipe',
    env: 'SVC_OUTPUT',
    helpGroup: GROUP,
  })()

/** `--safe-csv`, for commands whose csv holds texts from the data; `print` obeys it. */
export const safeCsvFlag = () =>
  boolean({ description: 'Put an apostrophe before csv texts that a spreadsheet would read as a formula' })

/** The flags that every command has; each also has an environment variable. */
export const sharedFlags = {
  profile: string({ description: 'Profile to use', env: 'SVC_PROFILE', helpGroup: GROUP, helpValue: 'NAME' }),
  'base-url': string({
    description: "Server to call instead of the profile's",
    env: 'SVC_BASE_URL',
    helpGroup: GROUP,
    helpValue: 'URL',
  }),
  'data-dir': string({
    description: 'Data folder of the embedded engine',
    env: 'SVC_DATA_DIR',
    helpGroup: GROUP,
    helpValue: 'FOLDER',
  }),
  output: outputFlag(),
  json: boolean({
    description: 'Same as --output json, with errors as JSON on stderr',
    env: 'SVC_JSON',
    helpGroup: GROUP,
  }),
  'no-color': boolean({ description: 'Disable colors', env: 'SVC_NO_COLOR', helpGroup: GROUP }),
  wide: boolean({
    description: 'Show all columns of a table, whole ids, and absolute times',
    env: 'SVC_WIDE',
    helpGroup: GROUP,
  }),
  'no-pager': boolean({
    description: 'Do not show long tables through a pager',
    env: 'SVC_NO_PAGER',
    helpGroup: GROUP,
  }),
  'no-input': boolean({
    description: 'Never prompt; missing input is an error',
    env: 'SVC_NO_INPUT',
    helpGroup: GROUP,
  }),
  quiet: boolean({ description: 'Print no progress and no hints to stderr', env: 'SVC_QUIET', helpGroup: GROUP }),
  debug: boolean({ description: 'Print stack traces of errors', env: 'SVC_DEBUG', helpGroup: GROUP }),
} satisfies { readonly [K in keyof typeof GLOBAL_FLAGS]: { readonly type: (typeof GLOBAL_FLAGS)[K] } }
