/** `svc aggregate query`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { type Archive, aggregateView, archiveKind } from '../../cli/aggregate-answer.ts'
import { checkRedirected, saveFile, writeStdout } from '../../cli/answer-file.ts'
import { userArgument } from '../../cli/arguments.ts'
import { outputFlag, SvcCommand } from '../../cli/base-command.ts'
import { interruptSignal } from '../../cli/interrupt.ts'
import { readQuery } from '../../cli/query-document.ts'
import { todayOf } from '../../cli/user-today.ts'
import type { QueryBatchInput } from '../../contract/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

/** The media type of the archive; naming the constant of the contract would load every schema. */
const PARQUET = 'application/vnd.service.tar+gzip+parquet'

export default class AggregateQuery extends SvcCommand {
  static override summary = 'Answer a query over a user’s data: a table, csv, json or Parquet'
  static override description =
    'The query is a JSON file (- for stdin) or is made of flags. Times are floating: the local time of each sample. Group keys ' +
    'are selected by themselves. -o names a file: .parquet for one query, .tar.gz for several (0.parquet, 1.parquet …); ' +
    '--output parquet writes to stdout.'
  static override examples = [
    "<%= config.bin %> <%= command.id %> ada --select 'sum(steps)' --group-by 1d --past 1w",
    "<%= config.bin %> <%= command.id %> ada --select 'mean(sleep.efficiency)' --group-by weekday --past 8w --output csv",
    '<%= config.bin %> <%= command.id %> ada query.json -o out.tar.gz',
  ]
  static override args = {
    user: userArgument(),
    query: stringArg({ description: 'file with the whole request body; - for stdin' }),
  }
  static override flags = {
    select: string({
      description: 'func(table.column), or a column; a bare resource is a timeseries value; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "'mean(sleep.efficiency)'",
    }),
    'group-by': string({
      description: 'a bucket (15min, 1h, 1d, 1w, 3mo, 1y), a part (weekday) or a column; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '1d',
    }),
    where: string({ description: 'a condition that rows must meet', helpValue: 'TEXT' }),
    past: string({ description: 'how far back from the anchor', helpValue: '8w' }),
    anchor: string({
      description: 'the last day; today in the user’s time zone when left out',
      helpValue: 'YYYY-MM-DD',
    }),
    out: string({ char: 'o', description: 'write a file: .parquet or .tar.gz', helpValue: 'FILE' }),
    output: outputFlag('parquet'),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateQuery)
    const isParquet = this.fileFormat === 'parquet'
    const archive = flags.out === undefined && !isParquet ? undefined : archiveKind(flags.out, isParquet)
    if (archive && flags.out === undefined) checkRedirected('Parquet')
    const batch = await this.batch(args.user, args.query, flags)
    if (archive) return this.save(args.user, batch, archive, flags.out)
    const answer = await this.withUser(args.user, user_id =>
      this.ask('aggregate.query', { params: { user_id }, body: batch }, { signal: interruptSignal() }),
    )
    await this.print(answer, aggregateView(answer, this.format))
  }

  private async batch(user: string, file: string | undefined, flags: QueryFlags): Promise<QueryBatchInput> {
    const { select, 'group-by': groupBy, where, past, anchor } = flags
    if (file !== undefined) {
      if ([select, groupBy, where, past, anchor].some(flag => flag !== undefined)) {
        throw new ServiceError('usage', 'The query is a file or is made of flags, not both.')
      }
      return readQuery(file)
    }
    if (select === undefined) {
      throw new ServiceError('usage', 'There is no query: name a JSON file, - for stdin, or give --select and --past.')
    }
    if (past === undefined) throw new ServiceError('usage', '--past is missing: how far back, such as 7d or 8w.')
    const { queryFromFlags } = await import('../../contract/aggregate-flags.ts')
    // first with any day: what is wrong in the flags is said before the service is asked what day it is
    const given = { select, groupBy: groupBy ?? [], where, past }
    queryFromFlags({ ...given, anchor: anchor ?? '2000-01-01' })
    return queryFromFlags({ ...given, anchor: anchor ?? (await this.today(user)) })
  }

  private async today(user: string): Promise<string> {
    const found = await this.withUser(user, user_id => this.ask('user.get', { params: { user_id } }))
    return todayOf(found.fallback_time_zone?.id ?? 'UTC', () => this.ask('clock.get', {}))
  }

  private async save(user: string, batch: QueryBatchInput, archive: Archive, out: string | undefined): Promise<void> {
    if (archive.kind === 'parquet' && batch.queries?.length !== 1) {
      throw new ServiceError('usage', 'A .parquet file holds the answer of one query; several go into a .tar.gz.')
    }
    const client = await this.client()
    const reply = await this.withUser(user, user_id =>
      client.call(
        'aggregate.query',
        { params: { user_id }, body: batch },
        { accept: PARQUET, signal: interruptSignal() },
      ),
    )
    if (reply.kind !== 'bytes')
      throw new ServiceError('bad_response', 'The service answered JSON where Parquet was asked for.')
    const pieces = archive.unpack(reply.bytes)
    if (out === undefined) return writeStdout(pieces)
    const saved = await saveFile(out, pieces)
    await this.print(saved, factSheet({ ...saved }))
  }
}

interface QueryFlags {
  readonly select: string[] | undefined
  readonly 'group-by': string[] | undefined
  readonly where: string | undefined
  readonly past: string | undefined
  readonly anchor: string | undefined
}
