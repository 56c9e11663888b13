/** `svc engine fault clear`. */
import { integer as integerArg } from '@oclif/core/args'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineFaultClear extends SvcCommand {
  static override summary = 'End one fault, or all'
  static override description = 'Those that a server was started with (--fault, --latency) stay until it ends.'
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> 3']
  static override args = {
    id: integerArg({ description: 'number of the fault, from `fault list`; all without it', min: 1 }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EngineFaultClear)
    const cleared = await this.ask('fault.clear', { query: args.id === undefined ? {} : { fault_id: args.id } })
    if (args.id !== undefined && cleared.cleared === 0) {
      throw new ServiceError('not_found', `There is no fault ${args.id}.`, {
        suggestions: ['`svc engine fault list` shows them.'],
      })
    }
    await this.print(cleared, factSheet(cleared))
  }
}
