/** `svc aggregate explain`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { anchorDay, buildQueryBatch, queryFlags, refuseAliases } from '../../cli/aggregate/query.ts'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'

export default class AggregateExplain extends SvcCommand {
  static override summary = 'Explain the result of a query'
  static override description =
    'For every group, shows which sources had data, which one was used and why, and how many rows were dropped. Also ' +
    'shows what was read and how long each stage took. With --diff, shows the rows that a different provider order ' +
    'would change. The query comes from a file or from flags, as in `aggregate query`. csv and ndjson have one line ' +
    'for each group and source, or, with --diff, one line for each changed row.'
  static override examples = toExamples(
    "ada --select 'sum(steps)' --group-by 1d --past 1w",
    "ada --select 'mean(heartrate)' --group-by 1d --past 1w --diff oura,garmin",
    'ada query.json --json',
  )
  static override args = {
    user: userArgument(),
    query: stringArg({ description: 'File with the request body; - reads stdin' }),
  }
  static override flags = {
    ...queryFlags,
    diff: string({ description: 'Show what a different provider order would change', helpValue: 'oura,garmin' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateExplain)
    await refuseAliases(flags, "Explanations use the service's own names.")
    const diff = flags.diff === undefined ? null : await this.slugs(flags.diff)
    const client = await this.client()
    const query = await buildQueryBatch(args.query, flags, anchor => anchorDay(client, args.user, anchor))
    const explanation = await this.withUser(args.user, user_id =>
      this.ask('aggregate.explain', { params: { user_id }, body: { query, diff } }, { signal: interruptSignal() }),
    )
    const { explainText, explainView } = await import('../../cli/aggregate/explain-view.ts')
    if (this.format !== 'table') return this.print(explanation, explainView(explanation))
    await this.write([explainText(explanation, await this.tableScreen(false))], 'table')
  }

  private async slugs(text: string): Promise<string[]> {
    const { parsePriorities } = await import('../../cli/aggregate/aggregate-flags.ts')
    return parsePriorities(text, '--diff')
  }
}
