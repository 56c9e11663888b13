/** `svc engine snapshot list`. */
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import { sizeText } from '../../../output/throughput.ts'
import { fields, view } from '../../../output/view.ts'

export default class EngineSnapshotList extends WatchedCommand {
  static override summary = 'List the snapshots in the data folder'
  static override examples = toExamples('')

  protected override async look(): Promise<void> {
    this.refuseUnsupported('snapshots')
    const list = await this.ask('snapshot.list', {})
    const rows = view(
      list.snapshots,
      {
        ...fields<(typeof list.snapshots)[number]>('name', 'saved_at'),
        clock: row => (row.frozen ? `${row.clock} (frozen)` : row.clock),
        users: row => row.users,
        size: row => sizeText(row.size_bytes),
        schema: row => row.schema_version,
      },
      'No snapshots. Save one with `svc engine snapshot save NAME`.',
    )
    await this.print(list, rows)
  }
}
