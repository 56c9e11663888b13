/** `svc why`. */
import { string as stringArg } from '@oclif/core/args'
import { integer, string } from '@oclif/core/flags'
import { MIXED_KINDS } from '../catalogue/kinds.ts'
import { queryFlags } from '../cli/aggregate/query.ts'
import { parseNumber, readPeriod, refuseArguments, requireArguments } from '../cli/aggregate/why/why-question.ts'
import { verifyWhy } from '../cli/aggregate/why/why-verification.ts'
import { whyText, whyView } from '../cli/aggregate/why/why-view.ts'
import { dateReader } from '../cli/arguments/dates.ts'
import { WHEN_HELP } from '../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { interruptSignal } from '../cli/runtime/interrupt.ts'
import { factSheet } from '../output/view.ts'

export default class Why extends SvcCommand {
  static override summary = 'Show where one number comes from'
  static override description =
    'Computes one function of one column over a day or another period, like `aggregate query`, and shows what made ' +
    'it: the samples, nights or workouts that count, their sources, how each came into the store, the rules that ' +
    'decided, and what was left out with the reason. csv and ndjson have one line for each sample or session. --json ' +
    'is signed with a key of the store: --verify checks it later, without the store.'
  static override examples = toExamples(
    "'sum(steps)' ada 2026-11-20",
    "'mean(heartrate)' ada yesterday --no-merge",
    "'sum(sleep.duration_second)' ada 2026-11 --merge",
    "'max(heartrate)' ada 2026-11-16..2026-11-22 --where 'heartrate.implausible = false' --json > why.json",
    '--verify why.json --key store.pem',
  )
  static override args = {
    function: stringArg({ description: "Function of a column, such as 'sum(steps)'" }),
    user: stringArg({ description: 'User, as user_id or client_user_id' }),
    period: stringArg({
      description:
        'Day (2026-11-20, yesterday), ISO week (2026-W47), month (2026-11), year (2026) or range (2026-11-16..2026-11-22), in local time',
    }),
  }
  static override flags = {
    where: queryFlags.where,
    merge: queryFlags.merge,
    'mixed-kinds': queryFlags['mixed-kinds'],
    'as-of': string({
      description: `Compute it from the data that was stored at this time: ${WHEN_HELP}`,
      helpValue: 'WHEN',
    }),
    limit: integer({ description: 'Maximum number of samples or sessions to list, 0 to 10000; defaults to 1000' }),
    verify: string({
      description: 'Verify the signature of a document that --json printed; - reads stdin; works offline',
      helpValue: 'FILE',
      dependsOn: ['key'],
      exclusive: ['where', 'merge', 'mixed-kinds', 'as-of', 'limit'],
    }),
    key: string({
      description: 'Public key for --verify, as `svc engine key public` prints it (PEM or JWK)',
      helpValue: 'FILE',
      dependsOn: ['verify'],
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Why)
    if (flags.verify !== undefined && flags.key !== undefined) {
      refuseArguments(args)
      const facts = await verifyWhy(flags.verify, flags.key)
      return this.print(facts, factSheet(facts))
    }
    const asked = requireArguments(args)
    const number = parseNumber(asked.function)
    const client = await this.client()
    const why = await this.withUser(asked.user, async user_id => {
      const reader = dateReader(client, user_id)
      const period = await readPeriod(asked.period, text => reader('first day', 'PERIOD', text))
      const mixed_kinds = MIXED_KINDS.find(each => each === flags['mixed-kinds'])
      const as_of = await reader('end', '--as-of', flags['as-of'])
      const { where, merge, limit } = flags
      const query = { ...number, period, where, merge, mixed_kinds, as_of, limit }
      return this.ask('aggregate.why', { params: { user_id }, query }, { signal: interruptSignal() })
    })
    if (this.format !== 'table' || this.selection) return this.print(why, whyView(why))
    await this.write([whyText(why, await this.tableScreen(false))], 'table')
  }
}
