/** `svc engine fault clear`. */
import { integer as integerArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineFaultClear extends SvcCommand {
  static override summary = 'Remove one fault or all faults'
  static override description = 'Faults set when a server was started (--fault, --latency) stay until it stops.'
  static override examples = toExamples('', '3')
  static override args = {
    id: integerArg({ description: 'Number of the fault, from `fault list`; omit to remove all', min: 1 }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EngineFaultClear)
    const cleared = await this.ask('fault.clear', { query: args.id === undefined ? {} : { fault_id: args.id } })
    if (args.id !== undefined && cleared.cleared === 0) {
      throw new ServiceError('not_found', `There is no fault ${args.id}.`, {
        suggestions: ['`svc engine fault list` lists the faults.'],
      })
    }
    await this.print(cleared, factSheet(cleared))
  }
}
