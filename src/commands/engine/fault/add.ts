/** `svc engine fault add`. */
import { string as stringArg } from '@oclif/core/args'
import { integer, string } from '@oclif/core/flags'
import { FAULT_SPEC, faultBody, parseFault } from '../../../cli/faults/fault-spec.ts'
import { faultsView } from '../../../cli/faults/fault-view.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { asRecord } from '../../../output/view.ts'

export default class EngineFaultAdd extends SvcCommand {
  static override summary = 'Make servers fail or respond slowly on purpose'
  static override description =
    'The fault applies to every `svc serve` on the data folder from the next request on. The response header ' +
    'svc-fault shows the fault. EFFECT is a status (400 to 599), a delay (200ms, 2s), drop (close the connection ' +
    'without a response) or cut (close it in the middle of the body). In PATH, * matches any characters and {name} ' +
    'one segment. Without PATH, all requests are affected, except those to /svc/.'
  static override examples = toExamples(
    "'GET /v2/timeseries/*=503:0.2'",
    "'POST /v2/user=429' --times 2",
    '200ms:0.1 --seed ci',
  )
  static override args = { fault: stringArg({ required: true, description: FAULT_SPEC }) }
  static override flags = {
    times: integer({
      description: 'Maximum number of requests to affect, counted by each server',
      min: 1,
      helpValue: 'N',
    }),
    seed: string({
      description: "Seed for choosing the affected requests; defaults to the server's --fault-seed",
      helpValue: 'TEXT',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineFaultAdd)
    const extras = { times: flags.times ?? null, seed: flags.seed ?? null }
    const added = await this.ask('fault.add', { body: faultBody(parseFault(args.fault, 'FAULT'), extras) })
    await this.print(added, asRecord(faultsView([added])))
    this.hint('To remove it: svc engine fault clear')
  }
}
