/** Formats a command's usage on one line, with its required arguments and flags but without the flags that every command has. */
import type { Config } from '@oclif/core/config'

interface Usable {
  readonly id: string
  readonly args?: Readonly<Record<string, { readonly required?: boolean }>>
  readonly flags?: Readonly<Record<string, object>>
}

/** Returns `timeseries get USER RESOURCE --start DATE [FLAGS]`. */
export function usageLine({ id, args = {}, flags = {} }: Usable): string {
  return [
    id.replaceAll(':', ' '),
    ...Object.entries(args).map(([name, { required }]) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`)),
    ...Object.entries(flags).flatMap(([name, flag]) => requiredFlag(name, flag)),
    '[FLAGS]',
  ].join(' ')
}

function requiredFlag(name: string, flag: { readonly required?: boolean; readonly helpValue?: unknown }): string[] {
  return flag.required ? [`--${name} ${typeof flag.helpValue === 'string' ? flag.helpValue : 'VALUE'}`] : []
}

/** Replaces the framework's usage line of every command, which lists every flag. */
export function shortenUsage(config: Config): void {
  for (const command of config.commands) if (command.id !== 'help') command.usage = usageLine(command)
}
