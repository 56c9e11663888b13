/** `svc engine fault list`. */

import { faultsView } from '../../../cli/faults/fault-view.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'

export default class EngineFaultList extends WatchedCommand {
  static override summary = 'List the faults of servers on the data folder'
  static override description = 'Faults set when a server was started (--fault, --latency) are not listed.'
  static override examples = toExamples('')

  protected override async look(): Promise<void> {
    await this.show('fault.list', {}, ({ faults }) => faultsView(faults))
  }
}
