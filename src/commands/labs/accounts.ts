/** `svc labs accounts`. */
import { option } from '@oclif/core/flags'
import { ACCOUNT_STATUSES } from '../../catalogue/labs/lab-accounts.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { fields, view } from '../../output/view.ts'

export default class LabsAccounts extends WatchedCommand {
  static override summary = 'List the lab accounts that orders can use'
  static override examples = toExamples('', '--status active')
  static override flags = {
    status: option({ options: ACCOUNT_STATUSES, description: 'Only accounts with this status' })(),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(LabsAccounts)
    const { data } = await this.ask('labs.accounts', { query: { status: flags.status } })
    await this.print(
      { data },
      view(
        data,
        {
          ...fields<(typeof data)[number]>(
            'id',
            'lab',
            'account_name',
            'status',
            'delegated_flow',
            'provider_account_id',
          ),
          billing: account => account.allowed_billing.join(' '),
        },
        'No lab accounts match.',
      ),
    )
  }
}
