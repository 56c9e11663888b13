/** `svc provider raw`. */
import { integer, string } from '@oclif/core/flags'
import { providerArgument, userArgument } from '../../cli/arguments/arguments.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { fields, view } from '../../output/view.ts'

export default class ProviderRaw extends WatchedCommand {
  static override summary = 'Show raw responses from a live provider'
  static override description =
    'Responses are kept for 30 days if the provider was set up with --keep-raw. The table shows their sizes; json ' +
    'and ndjson contain the text of each response.'
  static override examples = toExamples('ada oura', "ada oura --collection sleep --limit 1 --jq '.answers[0].text'")
  static override args = { user: userArgument(), provider: providerArgument() }
  static override flags = {
    collection: string({ description: "Only this collection, by the provider's name for it", helpValue: 'NAME' }),
    before: string({ description: 'Only responses received before this date or time', helpValue: 'TIME' }),
    limit: integer({ description: 'Maximum number of responses, 1 to 100', default: 20 }),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(ProviderRaw)
    const { provider } = args
    const { collection, before, limit } = flags
    const body = await this.withUser(args.user, user_id =>
      this.ask('provider.raw_answers', { params: { user_id, provider }, query: { collection, before, limit } }),
    )
    await this.print(
      body,
      view(
        body.answers,
        {
          ...fields<(typeof body.answers)[number]>('at', 'collection'),
          characters: ({ text }) => text.length,
        },
        'No responses are kept. Set the provider up with --keep-raw, and pull again.',
      ),
    )
  }
}
