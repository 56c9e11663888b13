/** The base of commands that print a list or a state. With --watch, they print it again after each change. */

import { SvcCommand } from './base-command.ts'
import { interruptSignal } from './interrupt.ts'
import { type FlagValues, sharedFlags, watchFlags } from './shared-flags.ts'

export abstract class WatchedCommand extends SvcCommand {
  static override baseFlags = { ...sharedFlags, ...watchFlags }

  /** Prints the response; with --watch, repeatedly. */
  protected abstract look(): Promise<unknown>

  /** Runs once or, with --watch, until Ctrl-C. Throws ServiceError `usage` for a format that --watch does not support. */
  async run(): Promise<void> {
    const { flags } = await this.parse<FlagValues<typeof watchFlags>, object, object>()
    const { watch, interval = 2 } = flags
    if (!watch) return void (await this.look())
    const { checkWatchable, watchResponse } = await import('../scripting/watch.ts')
    checkWatchable(this.format)
    await watchResponse({
      everyMs: interval * 1000,
      signal: interruptSignal(),
      title: `svc ${this.commandName}, every ${interval} s. Press Ctrl-C to stop.`,
      log: line => process.stderr.write(`${line}\n`),
      show: () => this.capture(() => this.look()),
    })
  }
}
