/** `svc aggregate watch rename`. */
import { string as stringArg } from '@oclif/core/args'
import { watchArgument, watchView } from '../../../cli/aggregate/watch-view.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'

export default class AggregateWatchRename extends SvcCommand {
  static override summary = 'Change the title of a continuous query'
  static override description = 'The slug, the query and its results stay the same.'
  static override examples = toExamples("daily-steps 'Steps by day'")
  static override args = {
    watch: watchArgument(),
    title: stringArg({ required: true, description: 'New title, of up to 50 characters' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(AggregateWatchRename)
    const params = { query_id_or_slug: args.watch }
    await this.show('continuous_query.rename', { params, body: { title: args.title } }, watchView)
  }
}
