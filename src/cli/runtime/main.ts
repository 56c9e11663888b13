/** Runs one command line: finds the command, shows help, or suggests the nearest command. */
import type { Config } from '@oclif/core/config'
import { settings } from '@oclif/core/settings'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { stderrScreen } from '../../output/screen.ts'
import { beforeDashes, hasFlag, wantsJson } from './command-line.ts'
import { loadCommands, loadConfig, withCommandId } from './commands.ts'
import { describeFailure } from './failure.ts'
import { misplacedFlagError, takeGlobalFlags } from './global-flags.ts'
import { asCancellation, cancelsOpenPrompt, restoreTerminal } from './interrupt.ts'
import { asUsageError, unknownCommand } from './usage.ts'
import { shortenUsage } from './usage-line.ts'

/** Runs a command line. Never throws: failures go to stderr and the exit code. `root` is the folder of package.json. */
export async function runCommandLine(argv: readonly string[], root: string): Promise<void> {
  const fail = (thrown: unknown): void => {
    const error = asUsageError(thrown, { command: 'help', flags: [], missing: [], usage: 'help [COMMAND]' })
    const debug = hasFlag(argv, 'debug', 'SVC_DEBUG')
    const failure = describeFailure(error, { json: wantsJson(argv), debug, screen: stderrScreen() })
    process.exitCode = failure.exitCode
    process.stderr.write(failure.text)
  }
  const failAtOnce = (thrown: unknown): void => {
    if (cancelsOpenPrompt(thrown)) return
    restoreTerminal()
    fail(asCancellation(thrown))
    process.exit()
  }
  // Runs before the framework's own listener, which throws.
  process.stdout.prependListener('error', error => {
    if (!isBrokenPipe(error)) failAtOnce(asDiskFull(error))
    process.exit(0)
  })
  // Otherwise, Node would print a line of the bundle and a stack trace.
  process.on('uncaughtException', failAtOnce)
  try {
    await run([...argv], root)
  } catch (thrown) {
    fail(thrown)
  }
}

/** Returns whether the process that reads the output has ended (`svc … | head`), which is not a failure. */
function isBrokenPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE'
}

function asDiskFull(error: NodeJS.ErrnoException): Error {
  if (!isDiskFull(error)) return error
  return new ServiceError('disk_full', 'The output is incomplete because the disk is full.', {
    suggestions: ['The command itself was completed. Free some space before you read its output again.'],
    cause: error,
  })
}

/** Words that request the version. On their own they are not handled here, because the installed `svc` handles them without the bundle. */
const VERSION_WORDS: readonly string[] = ['--version', '-v', 'version']

async function run(argv: string[], root: string): Promise<void> {
  // The commands are JavaScript in one file, so there is nothing to transpile and no need to look for a tsconfig.json.
  settings.enableAutoTranspile = false
  // Otherwise, the framework would run PowerShell at every start to determine the current shell.
  if (process.platform === 'win32') process.env['SHELL'] ??= process.env['COMSPEC'] ?? 'cmd.exe'
  // oclif and its help read only the variable NO_COLOR, which the user can also set
  if (hasFlag(argv, 'no-color', 'SVC_NO_COLOR')) process.env['NO_COLOR'] = '1'
  const names = await loadCommands(root)
  const { flags, words } = takeGlobalFlags(argv, id => names.findTopic(id) !== undefined && !names.findCommand(id))
  if (wantsHelp(words)) return showHelp(root, words)
  if (VERSION_WORDS.includes(words[0] ?? '')) {
    if (isOnlyJson(words.slice(1)) && wantsJson(argv, {})) {
      const { versionDocument } = await import('./version.ts')
      const document = await versionDocument(names)
      return void process.stdout.write(`${JSON.stringify(document, null, process.stdout.isTTY ? 2 : undefined)}\n`)
    }
    if (words.length === 1) return void process.stdout.write(`${names.userAgent}\n`)
  }
  const config = words[0] === 'help' ? await loadConfig(root) : names
  const [id, ...rest] = withCommandId(config, words)
  const command = id === undefined ? undefined : config.findCommand(id)
  if (command) {
    if (command.id === 'help') {
      checkSubject(config, rest)
      shortenUsage(config)
      return void (await config.runCommand(command.id, rest, command))
    }
    return void (await config.runCommand(command.id, [...flags, ...rest], command))
  }
  if (id !== undefined && config.findTopic(id)) {
    const [flag = '--'] = rest
    if (flag.startsWith('-') && flag !== '--') throw misplacedFlagError(flag, flagsBelow(await loadConfig(root), id))
    return showHelp(root, id.split(':'))
  }
  throw unknownCommand(id ?? '', config.commandIDs)
}

/** Returns whether words only choose JSON, or are empty. */
function isOnlyJson(words: readonly string[]): boolean {
  return ['', '--json', '--output=json', '--output json'].includes(words.join(' '))
}

/** Returns the flags of all commands below a topic. */
function flagsBelow({ commands }: Config, topic: string): string[] {
  return commands
    .filter(({ id }) => id.startsWith(`${topic}:`))
    .flatMap(({ flags }) => Object.keys(flags).map(name => `--${name}`))
}

async function showHelp(root: string, argv: readonly string[]): Promise<void> {
  const config = await loadConfig(root)
  checkSubject(config, argv)
  const help = await import('./help.ts')
  await help.showHelp(config, [...argv])
}

/** Throws if help is requested for an unknown command. */
function checkSubject(config: Config, argv: readonly string[]): void {
  const words = argv.filter(word => !word.startsWith('-') && word !== 'help')
  if (words.length === 0) return
  const [id = ''] = withCommandId(config, words)
  if (!config.findCommand(id) && !config.findTopic(id)) throw unknownCommand(id, config.commandIDs)
}

function wantsHelp(argv: readonly string[]): boolean {
  if (argv.length === 0) return true
  const words = beforeDashes(argv)
  return words.includes('--help') || words.includes('-h')
}
