/** The flags that every command has, and the flags that several commands share. */
import { boolean, integer, option, string } from '@oclif/core/flags'
import type { FlagInput, InferredFlags } from '@oclif/core/interfaces'
import { type FileFormat, OUTPUT_FORMATS } from '../../output/render.ts'
import type { GLOBAL_FLAGS } from './global-flags.ts'

const GROUP = 'GLOBAL'

/** Flag values, as a command receives them. */
export type FlagValues<Flags extends FlagInput> = Readonly<Omit<InferredFlags<Flags>, 'json'>>

/** Options for a flag that can be repeated, with one value each time. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const

/** `--output`. A command with additional formats replaces the shared flag with its own. */
export const outputFlag = (...more: readonly FileFormat[]) =>
  option({
    options: [...OUTPUT_FORMATS, ...more],
    description: 'Output format; defaults to table on a terminal and json in a pipe',
    env: 'SVC_OUTPUT',
    helpGroup: GROUP,
  })()

/** `--safe-csv`, for commands whose csv contains texts from the data; `print` applies it. */
export const safeCsvFlag = () =>
  boolean({ description: 'Put an apostrophe before csv values that a spreadsheet would read as a formula' })

/** `--all`, for lists that the service pages. It excludes the flags that choose one page or its size. */
export const allFlag = (...others: readonly string[]) =>
  boolean({ description: 'Read all pages and print them as one response', exclusive: [...others] })

/** `--watch` and `--interval`, for lists and states; `WatchedCommand` applies them. */
export const watchFlags = {
  watch: boolean({ description: 'Repeat the request and show each change, until Ctrl-C' }),
  interval: integer({
    min: 1,
    description: 'Seconds between two requests; defaults to 2',
    dependsOn: ['watch'],
    helpValue: 'SECONDS',
  }),
}

/** `--force`, for commands that write a file with --out; `checkOutFile` and `saveFile` apply it. */
export const forceFlag = () => boolean({ description: 'Replace an existing file', dependsOn: ['out'] })

/** `--stall-timeout`, for commands that read a file, stdin or a FIFO; `importSource` applies it. */
export const stallFlag = () =>
  string({
    description: 'Maximum time to wait for the next bytes of stdin or a FIFO',
    default: '60s',
    env: 'SVC_STALL_TIMEOUT',
    helpValue: 'DURATION',
  })

/** The flags that every command has. Flags for settings also have environment variables. */
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
  store: string({
    description: 'PostgreSQL store of the embedded engine, without the password',
    env: 'SVC_STORE',
    helpGroup: GROUP,
    helpValue: 'URL',
  }),
  output: outputFlag(),
  json: boolean({
    description: 'Same as --output json, with errors as JSON on stderr',
    env: 'SVC_JSON',
    helpGroup: GROUP,
  }),
  fields: string({
    description: 'Print only these members of each record, as JSON; use a dot for nested members',
    helpGroup: GROUP,
    helpValue: 'a,b.c',
    exclusive: ['jq'],
  }),
  jq: string({
    description: 'Apply this jq expression to the JSON response and print the result',
    helpGroup: GROUP,
    helpValue: 'EXPRESSION',
  }),
  wide: boolean({
    description: 'Show all columns of a table, complete IDs, and absolute times',
    env: 'SVC_WIDE',
    helpGroup: GROUP,
  }),
  'no-pager': boolean({
    description: 'Do not show long tables in a pager',
    env: 'SVC_NO_PAGER',
    helpGroup: GROUP,
  }),
  'no-color': boolean({ description: 'Disable colors', env: 'SVC_NO_COLOR', helpGroup: GROUP }),
  'no-input': boolean({
    description: 'Never prompt; missing input is an error',
    env: 'SVC_NO_INPUT',
    helpGroup: GROUP,
  }),
  quiet: boolean({ description: 'Do not print progress or hints to stderr', env: 'SVC_QUIET', helpGroup: GROUP }),
  debug: boolean({ description: 'Print stack traces for errors', env: 'SVC_DEBUG', helpGroup: GROUP }),
} satisfies { readonly [K in keyof typeof GLOBAL_FLAGS]: { readonly type: (typeof GLOBAL_FLAGS)[K] } }
