/** `svc link demo`. */

import { string as stringArg } from '@oclif/core/args'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { explainDemoRefusal } from '../../cli/links/offer.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { factSheet } from '../../output/view.ts'

export default class LinkDemo extends LinkCommand {
  static override summary = 'Give a user a demo connection with synthetic data'
  static override description =
    'Adds 30 days of summaries immediately and new data every two hours. After 7 days the user is deleted with ' +
    'all data; this cannot be undone. A user with a real connection is refused.'
  static override examples = toExamples('ada oura')
  static override args = {
    user: userArgument(),
    provider: stringArg({ required: true, description: 'Provider: apple_health_kit, fitbit, freestyle_libre or oura' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(LinkDemo)
    const { user } = args
    const provider = args.provider as 'oura' // the service refuses any other provider
    const made = await this.withUser(user, user_id => this.ask('link.demo', { body: { user_id, provider } })).catch(
      async error => {
        throw (await explainDemoRefusal(error, { slug: provider, user, offers: () => this.allOffers() })) ?? error
      },
    )
    await this.print(made, factSheet(made))
  }
}
