/** `svc order list`. */
import { integer, option, string } from '@oclif/core/flags'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import { dateReader } from '../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { ordersView } from '../../cli/orders/order-view.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag, repeatable } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { INTERPRETATIONS } from '../../contract/orders/order-result.ts'

/** Maximum number of orders on a page. */
const MOST_ORDERS = 100

export default class OrderList extends WatchedCommand {
  static override summary = 'List lab orders, newest first'
  static override examples = toExamples('--user ada', '--status completed --interpretation critical --json')
  static override flags = {
    user: string({ description: 'Only this user', helpValue: 'USER' }),
    status: string({
      description: 'Only orders in this state, such as ordered; can be repeated',
      helpValue: 'STATUS',
      ...repeatable,
    }),
    method: option({
      options: COLLECTION_METHODS,
      description: 'Only orders with this collection method; can be repeated',
      ...repeatable,
    })(),
    interpretation: option({ options: INTERPRETATIONS, description: 'Only orders with this overall result' })(),
    search: string({ description: "Part of the patient's name, or the start of an ID" }),
    start: string({ description: `Start date, inclusive: ${WHEN_HELP}`, helpValue: 'DATE' }),
    end: string({ description: 'End date, inclusive', helpValue: 'DATE' }),
    page: integer({ description: 'Page number, from 1', default: 1 }),
    size: integer({ description: 'Orders per page, 1 to 100', default: 50 }),
    all: allFlag('page', 'size'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(OrderList)
    const query = {
      status: flags.status,
      order_type: flags.method,
      interpretation: flags.interpretation,
      search_input: flags.search,
      page: flags.page,
      size: flags.all ? MOST_ORDERS : flags.size,
    }
    const { user } = flags
    const client = await this.client()
    const show = async (user_id?: string) => {
      const when = dateReader(client, user_id)
      const start_date = await when('start', '--start', flags.start)
      const end_date = await when('end', '--end', flags.end)
      return this.printPages(
        flags.all,
        at => this.ask('order.list', { query: { ...query, user_id, start_date, end_date, ...at } }),
        ({ orders }) => ordersView(orders),
      )
    }
    const page =
      user === undefined
        ? await show()
        : await this.withUser(user, async id => {
            // Otherwise, an unknown user would look like a user without orders.
            const { user_id } = await this.ask('user.get', { params: { user_id: id } })
            return show(user_id)
          })
    if (page.page < page.pages)
      this.hint(`Page ${page.page} of ${page.pages}, ${page.total} orders. Use --page for the other pages.`)
  }
}
