/** `svc engine fault list`. */

import { faultsView } from '../../../cli/faults/fault-view.ts'
import { examplesOf, SvcCommand } from '../../../cli/runtime/base-command.ts'

export default class EngineFaultList extends SvcCommand {
  static override summary = 'List the faults of servers on the data folder'
  static override description = 'Faults that a server was started with (--fault, --latency) are not listed.'
  static override examples = examplesOf('')

  async run(): Promise<void> {
    await this.parse(EngineFaultList)
    await this.show('fault.list', {}, ({ faults }) => faultsView(faults))
  }
}
