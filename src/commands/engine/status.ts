/** `svc engine status`. */

import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../client/client.ts'
import { shownStore } from '../../core/store-url.ts'
import { formatCount } from '../../core/text.ts'
import { sizeText } from '../../output/throughput.ts'
import { type Cell, factSheet } from '../../output/view.ts'
import { openDataFolder, runningServer } from '../../store/folder/data-folder.ts'

type Status = ResponseOf<'engine.status'>

export default class EngineStatus extends WatchedCommand {
  static override summary = 'Show the contents and size of the store'
  static override examples = toExamples('', '--json')

  protected override async look(): Promise<void> {
    const status = await this.ask('engine.status', {})
    const sheet = { head: ['field', 'value'], rows: [...this.location(), ...figures(status)] }
    await this.print(status, { ...factSheet(flat(status)), sheet })
    if (status.due_jobs > 0)
      this.hint('Jobs are due. `svc engine run-due` runs them, and so does a running `svc serve`.')
  }

  /** Returns the source of the figures. */
  private location(): [string, Cell][] {
    const { baseUrl, dataDir, store } = this.settings
    if (baseUrl.value !== null) return [['server', baseUrl.value]]
    const folder = openDataFolder(dataDir.value)
    return [
      ...(store.value === null ? [] : ([['store', shownStore(store.value)]] as [string, Cell][])),
      ['data folder', folder.path],
      ['server', runningServer(folder) ?? 'not running'],
    ]
  }
}

/** Returns the figures as one row. */
function flat({ citus, ...figures }: Status): Record<string, Cell> {
  const shards = citus?.nodes.reduce((sum, node) => sum + node.shards, 0)
  return {
    ...figures,
    citus_version: citus?.version ?? null,
    citus_nodes: citus?.nodes.length ?? null,
    citus_shards: shards ?? null,
  }
}

function figures(status: Status): [string, Cell][] {
  const number = formatCount
  const bytes = status.bytes_per_sample
  return [
    ['users', number(status.users)],
    ['deleted, not purged yet', number(status.deleted_users)],
    ['series', number(status.series)],
    ['samples', `${number(status.samples)} in ${number(status.chunks)} chunks`],
    ['bytes per sample', bytes === null ? 'no samples yet' : bytes.toFixed(2)],
    ['summaries', number(status.summaries)],
    ['workout streams', number(status.streams)],
    ['events', number(status.events)],
    ['continuous queries', `${number(status.continuous_queries)} with ${number(status.result_rows)} rows`],
    ['jobs due', number(status.due_jobs)],
    ...fileSizes(status),
    ...server(status),
    ['schema version', number(status.schema_version)],
    ['epoch', number(status.epoch)],
  ]
}

function fileSizes({ file_bytes: file, wal_bytes: log }: Status): [string, Cell][] {
  if (file === null || log === null) return []
  return [
    ['database file', sizeText(file)],
    ['write-ahead log', sizeText(log)],
  ]
}

function server({ server_version: version, citus }: Status): [string, Cell][] {
  if (version === null) return []
  const nodes = citus?.nodes ?? []
  return [
    ['PostgreSQL', version],
    ...(citus ? [['Citus', `${citus.version}, ${nodes.length} nodes`] as [string, Cell]] : []),
    ...nodes.map(({ role, active, shards }, i): [string, Cell] => [
      `node ${i + 1}`,
      `${role}, ${formatCount(shards)} shards${active ? '' : ', not active'}`,
    ]),
  ]
}
