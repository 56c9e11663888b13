/** Jobs that fall due by the engine's clock. */
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'

type Job = ResponseOf<'job.list'>['jobs'][number]
type Kind = NonNullable<NonNullable<Input<'job.list'>['query']>['kind']>

const WORDS: Readonly<Record<Kind, string>> = {
  purge: 'Purge a deleted user',
  continuous_query: 'Refresh a continuous query',
  pause: 'Pause a connection',
  refresh: 'Pull from a provider',
  demo_data: 'Add demo data',
  demo_end: 'End a demo connection',
  order: 'Advance a lab order',
  retention: 'Remove old events',
}

export function Jobs() {
  const toast = useToast()
  const { cursor, readPages } = useCursorPages('jobs')
  const load = useLoad('job.list', { query: { next_cursor: cursor } })
  const runDue = useAction(async () => {
    const { ran, left } = await call('engine.run_due', {})
    const done = ran.reduce((sum, each) => sum + each.count, 0)
    toast({ text: left.length === 0 ? `${count(done)} jobs ran.` : `${count(done)} jobs ran; some remain due.` })
    load.reload()
  })
  return (
    <>
      <ListCard
        title="Jobs"
        actions={
          <Button isSmall needs="engine.run_due" isBusy={runDue.isRunning} onClick={runDue.run}>
            Run what is due
          </Button>
        }
        noun="jobs"
        load={load}
        lines={6}
        columns={COLUMNS}
        readRows={page => page.jobs}
        rowKey={job => `${job.kind} ${job.user_id} ${job.subject}`}
        readPages={readPages}
        empty={
          <Empty title="No jobs">
            Jobs appear here when they are scheduled: pulls from providers, lab orders, purges of deleted users.
          </Empty>
        }
        problem={runDue.problem}
      />
      <Command words={['svc', 'engine', 'jobs']} />
    </>
  )
}

const COLUMNS: readonly Column<Job>[] = [
  { title: 'Job', cell: job => WORDS[job.kind] },
  { title: 'User', cell: job => <a href={`/console/users/${job.user_id}`}>{job.client_user_id}</a> },
  { title: 'About', cell: job => job.subject ?? '' },
  {
    title: 'Due',
    cell: job => (
      <span class="row">
        {job.due_at !== null && <Ago at={job.due_at} />}
        {job.is_due && <Badge tone="warn">Due</Badge>}
      </span>
    ),
  },
]
