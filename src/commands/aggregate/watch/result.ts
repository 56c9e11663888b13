/** `svc aggregate watch result`. */
import { string } from '@oclif/core/flags'
import { aggregateView } from '../../../cli/aggregate/response.ts'
import { collectBytes, parquetRows } from '../../../cli/aggregate/tables.ts'
import { watchArgument } from '../../../cli/aggregate/watch-view.ts'
import { userArgument } from '../../../cli/arguments/arguments.ts'
import { checkOutFile, checkRedirected, savedView, saveFile, writeStdout } from '../../../cli/output/output-file.ts'
import { asOnePiece, fetchBytes } from '../../../cli/output/response-bytes.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../../cli/runtime/interrupt.ts'
import { forceFlag, outputFlag } from '../../../cli/runtime/shared-flags.ts'
import { ServiceError } from '../../../core/errors.ts'

/** The media type of Parquet. The constant is not imported from the contract, because that would load every schema. */
const PARQUET = 'application/vnd.apache.parquet'

export default class AggregateWatchResult extends SvcCommand {
  static override summary = 'Read the result of a continuous query for a user'
  static override description =
    'Runs the query first if it is due, so the result includes all stored data. The minimum gap between two runs ' +
    'still applies.'
  static override examples = toExamples(
    'ada daily-steps',
    'ada daily-steps --output csv',
    'ada daily-steps -o steps.parquet',
  )
  static override args = { user: userArgument(), watch: watchArgument() }
  static override flags = {
    out: string({ char: 'o', description: 'Write a Parquet file', helpValue: 'FILE.parquet' }),
    force: forceFlag(),
    output: outputFlag('parquet'),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateWatchResult)
    const isParquet = this.fileFormat === 'parquet'
    if (flags.out !== undefined || isParquet) return this.save(args, flags, isParquet)
    const result = await this.withUser(args.user, user_id =>
      this.ask('aggregate.result_table', { params: watchParams(user_id, args.watch) }, { signal: interruptSignal() }),
    )
    // only a terminal table has headings that depend on the query
    const query = this.format === 'table' ? await this.fetchQuery(args.watch) : undefined
    await this.print(result, aggregateView({ results: [result] }, query))
  }

  private async fetchQuery(watch: string): Promise<unknown> {
    return (await this.ask('continuous_query.get', { params: { query_id_or_slug: watch } })).query
  }

  private async save(
    args: { readonly user: string; readonly watch: string },
    { out, force }: { readonly out: string | undefined; readonly force: boolean },
    isParquet: boolean,
  ): Promise<void> {
    if (out === undefined) checkRedirected('Parquet')
    else if (!isParquet && !out.toLowerCase().endsWith('.parquet')) {
      throw new ServiceError('usage', 'The -o file must end with .parquet.', {
        suggestions: ['For csv and json, redirect stdout: --output csv > FILE.'],
      })
    }
    if (out !== undefined) await checkOutFile(out, force)
    const client = await this.client()
    const otherwise = 'The service returned JSON instead of Parquet.'
    const options = { accept: PARQUET, signal: interruptSignal(), otherwise }
    const pieces = await this.withUser(args.user, user_id =>
      fetchBytes(client, 'aggregate.result_table', { params: watchParams(user_id, args.watch) }, options),
    )
    if (out === undefined) return void (await writeStdout(pieces))
    const bytes = await collectBytes(pieces)
    const rows = await parquetRows(bytes)
    const saved = await saveFile(out, asOnePiece(bytes), { mayReplace: force, countRows: () => rows })
    await this.print(saved, savedView(saved))
  }
}

const watchParams = (userId: string, watch: string) => ({ user_id: userId, query_id_or_slug: watch })
