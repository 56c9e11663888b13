/** Loads the commands, and finds the command that a command line names. */
import { Config } from '@oclif/core/config'
import type { PJSON } from '@oclif/core/interfaces'
import pjson from '../../../package.json' with { type: 'json' }

/** Loads the commands and topics with all the data that help shows. `root` is the folder of package.json. */
export function loadConfig(root: string): Promise<Config> {
  return Config.load({ root, pjson: pjson as PJSON, devPlugins: false, userPlugins: false })
}

/** Loads only the data needed to find and run a command. */
export function loadCommands(root: string): Promise<Config> {
  const names = { ...pjson, oclif: { ...pjson.oclif, manifest: 'dist/commands.json' } }
  return Config.load({ root, pjson: names as PJSON, devPlugins: false, userPlugins: false })
}

/**
 * Returns the command line with the words of its command joined into one id, such as `['user:get', 'ada']`. A word belongs to the command
 * as long as a command or topic has that name, or if no command with arguments came before it. The framework's own function for this would
 * load the whole help renderer.
 */
export function withCommandId(config: Config, argv: readonly string[]): string[] {
  const isKnown = (id: string) => config.commandIDs.some(each => each === id || each.startsWith(`${id}:`))
  const id: string[] = []
  for (const word of argv) {
    const command = config.findCommand(id.join(':'))
    const takesArguments = command !== undefined && Object.keys(command.args ?? {}).length > 0
    if (!isKnown([...id, word].join(':')) && (takesArguments || word.startsWith('-') || word.includes('='))) break
    id.push(word)
  }
  return id.length === 0 ? [...argv] : [id.join(':'), ...argv.slice(id.length)]
}
