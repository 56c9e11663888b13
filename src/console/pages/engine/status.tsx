/** The contents and size of the store, and a button that checks every row. */
import { useState } from 'preact/hooks'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { sizeText } from '../../parts/files.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Loaded, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'

export function Status() {
  const load = useLoad('engine.status', {})
  return (
    <>
      <Card
        title="Store"
        actions={
          <Button isSmall isBusy={load.isLoading} onClick={load.reload}>
            Reload
          </Button>
        }
      >
        <Loaded load={load} lines={8}>
          {status => <Figures status={status} />}
        </Loaded>
      </Card>
      <Check />
      <Command words={['svc', 'engine', 'status']} />
    </>
  )
}

function Figures({ status }: { readonly status: ResponseOf<'engine.status'> }) {
  const { server_version, file_bytes, wal_bytes, bytes_per_sample, citus } = status
  return (
    <Facts
      rows={[
        ['Database', server_version === null ? 'SQLite' : `PostgreSQL ${server_version}`],
        ['Citus', citus && `${citus.version}, ${citus.nodes.length} nodes`],
        ['Users', count(status.users)],
        ['Deleted users, not yet purged', count(status.deleted_users)],
        ['Series', count(status.series)],
        ['Samples', count(status.samples)],
        ['Bytes per sample', bytes_per_sample === null ? null : bytes_per_sample.toFixed(1)],
        ['Summaries', count(status.summaries)],
        ['Workout streams', count(status.streams)],
        ['Events', count(status.events)],
        ['Continuous queries', count(status.continuous_queries)],
        ['Due jobs', count(status.due_jobs)],
        ['File size', file_bytes === null ? null : sizeText(file_bytes)],
        ['Write-ahead log', wal_bytes === null ? null : sizeText(wal_bytes)],
        ['Schema version', status.schema_version],
        ['Times restored or emptied', count(status.epoch)],
      ]}
    />
  )
}

function Check() {
  const [report, setReport] = useState<ResponseOf<'engine.check'> | null>(null)
  const check = useAction(async () => setReport(await call('engine.check', {})))
  return (
    <Card
      title="Check"
      actions={
        <Button isSmall isBusy={check.isRunning} onClick={check.run}>
          Check the store
        </Button>
      }
    >
      <p class="soft">Reads every row of user data and compares it with its checksum. It changes nothing.</p>
      <ProblemNote problem={check.problem} />
      {check.isRunning && <Skeleton lines={2} />}
      {report && !check.isRunning && <Report report={report} />}
    </Card>
  )
}

function Report({ report }: { readonly report: ResponseOf<'engine.check'> }) {
  return (
    <>
      <p class="row" role="status">
        {report.ok ? (
          <Badge tone="good">No problems</Badge>
        ) : (
          <Badge tone="bad">{count(report.problem_count)} problems</Badge>
        )}
        <span>
          {count(report.chunks)} chunks with {count(report.samples)} samples were checked.
        </span>
      </p>
      {report.problems.length > 0 && (
        <Table
          label="Problems"
          columns={PROBLEM_COLUMNS}
          rows={report.problems}
          rowKey={problem => `${problem.what} ${problem.user_id} ${problem.message}`}
        />
      )}
    </>
  )
}

const PROBLEM_COLUMNS: readonly Column<ResponseOf<'engine.check'>['problems'][number]>[] = [
  { title: 'Row', cell: problem => problem.what },
  { title: 'User', cell: problem => problem.user_id ?? '' },
  { title: 'Problem', cell: problem => problem.message },
]
