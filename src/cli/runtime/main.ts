/** Runs one command line: finds the command, or shows help, or says what is the nearest. */
import { Config } from '@oclif/core/config'
import { Help, normalizeArgv } from '@oclif/core/help'
import type { PJSON } from '@oclif/core/interfaces'
import { settings } from '@oclif/core/settings'
import pjson from '../../../package.json' with { type: 'json' }
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { hasFlag, wantsJson } from './command-line.ts'
import { describeFailure } from './failure.ts'
import { asCancellation, restoreTerminal } from './interrupt.ts'
import { asUsageError, unknownCommand } from './usage.ts'
import { shortenUsage } from './usage-line.ts'

/** Never throws: what fails is said on stderr and in the exit code. `root` is the folder of package.json. */
export async function main(argv: readonly string[], root: string): Promise<void> {
  const fail = (thrown: unknown): void => {
    const error = asUsageError(thrown, { command: 'help', flags: [], missing: [], usage: 'help [COMMAND]' })
    const failure = describeFailure(error, { json: wantsJson(argv), debug: hasFlag(argv, 'debug', 'SVC_DEBUG') })
    process.exitCode = failure.exitCode
    process.stderr.write(failure.text)
  }
  const failAtOnce = (thrown: unknown): void => {
    restoreTerminal()
    fail(asCancellation(thrown))
    process.exit()
  }
  // before the framework's own listener, which throws
  process.stdout.prependListener('error', error => {
    if (!isBrokenPipe(error)) failAtOnce(asDiskFull(error))
    process.exit(0)
  })
  // Node would show a line of the bundle and a stack trace
  process.on('uncaughtException', failAtOnce)
  try {
    await run([...argv], root)
  } catch (thrown) {
    fail(thrown)
  }
}

/** Who reads our output went away (`svc … | head`): that is no failure. */
function isBrokenPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE'
}

function asDiskFull(error: NodeJS.ErrnoException): Error {
  if (!isDiskFull(error)) return error
  return new ServiceError('disk_full', 'The output could not be written whole: the disk is full.', {
    suggestions: ['The command itself was carried out. Free some space before reading its output again.'],
    cause: error,
  })
}

async function run(argv: string[], root: string): Promise<void> {
  // the commands are JavaScript in one file: nothing is to be transpiled, and a look for a tsconfig.json is spared
  settings.enableAutoTranspile = false
  // without it the framework starts a PowerShell at every start, to find out which shell this is
  if (process.platform === 'win32') process.env['SHELL'] ??= process.env['COMSPEC'] ?? 'cmd.exe'
  if (hasFlag(argv, 'no-color', 'SVC_NO_COLOR')) process.env['NO_COLOR'] = '1'
  const config = await Config.load({ root, pjson: pjson as PJSON, devPlugins: false, userPlugins: false })
  if (wantsHelp(argv)) return showHelp(config, argv)
  const [id, ...rest] = normalizeArgv(config, argv)
  const command = id === undefined ? undefined : config.findCommand(id)
  if (command) {
    if (command.id === 'help') {
      checkSubject(config, rest)
      shortenUsage(config)
    }
    return void (await config.runCommand(command.id, rest, command))
  }
  if (id !== undefined && config.findTopic(id)) return showHelp(config, [...id.split(':')])
  if (id?.startsWith('-')) {
    throw new ServiceError(
      'usage',
      `A command comes first, and flags after it; there is no ${id.split('=')[0]} here.`,
      {
        suggestions: ['`svc --help` lists the commands.'],
      },
    )
  }
  throw unknownCommand(id ?? '', config.commandIDs)
}

async function showHelp(config: Config, argv: string[]): Promise<void> {
  checkSubject(config, argv)
  shortenUsage(config)
  await new Help(config).showHelp(argv)
}

/** Throws when help is asked for about what does not exist. */
function checkSubject(config: Config, argv: readonly string[]): void {
  const words = argv.filter(word => !word.startsWith('-') && word !== 'help')
  if (words.length === 0) return
  const [id = ''] = normalizeArgv(config, words)
  if (!config.findCommand(id) && !config.findTopic(id)) throw unknownCommand(id, config.commandIDs)
}

function wantsHelp(argv: readonly string[]): boolean {
  if (argv.length === 0) return true
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  return words.includes('--help') || words.includes('-h')
}
