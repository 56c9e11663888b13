/** `svc engine fault add`. */
import { string as stringArg } from '@oclif/core/args'
import { integer, string } from '@oclif/core/flags'
import { FAULT_SPEC, faultBody, parseFault } from '../../../cli/faults/fault-spec.ts'
import { faultsView } from '../../../cli/faults/fault-view.ts'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'

export default class EngineFaultAdd extends SvcCommand {
  static override summary = 'Have servers fail or wait on purpose'
  static override description =
    'Every `svc serve` on the data folder does so from the next request on, and says it in the header svc-fault of the answer. ' +
    'EFFECT is a status (400 to 599), a delay (200ms, 2s), drop (the connection ends without an answer) or cut (in the middle ' +
    'of its body); in PATH * stands for any characters and {name} for one segment. Without PATH everything but /svc/ is hit.'
  static override examples = [
    "<%= config.bin %> <%= command.id %> 'GET /v2/timeseries/*=503:0.2'",
    "<%= config.bin %> <%= command.id %> 'POST /v2/user=429' --times 2",
    '<%= config.bin %> <%= command.id %> 200ms:0.1 --seed ci',
  ]
  static override args = { fault: stringArg({ required: true, description: FAULT_SPEC }) }
  static override flags = {
    times: integer({ description: 'hit so many requests and no more, counted by each server', min: 1, helpValue: 'N' }),
    seed: string({
      description: "decides which requests are hit; the server's --fault-seed when absent",
      helpValue: 'TEXT',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineFaultAdd)
    const extras = { times: flags.times ?? null, seed: flags.seed ?? null }
    const added = await this.ask('fault.add', { body: faultBody(parseFault(args.fault, 'FAULT'), extras) })
    await this.print(added, faultsView([added]))
    this.hint('It ends with: svc engine fault clear')
  }
}
