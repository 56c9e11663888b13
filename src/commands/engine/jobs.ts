/** `svc engine jobs`. */
import { integer, string } from '@oclif/core/flags'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../client/client.ts'
import { JOB_KINDS } from '../../contract/engine/job.ts'
import { fields, ranked, view } from '../../output/view.ts'

type Job = ResponseOf<'job.list'>['jobs'][number]

/** Maximum number of jobs on a page. */
const MOST_JOBS = 500

export default class EngineJobs extends WatchedCommand {
  static override summary = 'List due and waiting jobs, earliest first'
  static override description =
    "Jobs belong to the team's users and become due by the engine's clock. A running `svc serve` runs them, and so " +
    'does `svc engine run-due`. Webhook deliveries and pulls from live providers are not jobs: see `svc event list` ' +
    'and `svc provider status`.'
  static override examples = toExamples('', '--kind purge', '--all --output csv')
  static override flags = {
    kind: string({ description: 'Only jobs of this kind', options: [...JOB_KINDS] }),
    limit: integer({ description: 'Maximum number of jobs to return, 1 to 500', default: 100 }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(EngineJobs)
    const { all, cursor } = flags
    const kind = JOB_KINDS.find(each => each === flags.kind)
    const query = { kind, limit: all ? MOST_JOBS : flags.limit, next_cursor: cursor }
    const columns = {
      ...fields<Job>('kind', 'subject', 'client_user_id', 'due_at', 'is_due', 'user_id'),
      due_at: ({ due_at }: Job) => due_at ?? 'now',
    }
    const page = await this.printPages(
      all,
      at => this.ask('job.list', { query: { ...query, ...at } }),
      ({ jobs }) => ranked(['kind', 'due_at', 'client_user_id', 'subject'], view(jobs, columns, 'No jobs.')),
    )
    if (page.next_cursor !== null) this.hint(`More results: add --cursor ${page.next_cursor}`)
  }
}
