/** `svc labs set-markers`. */
import { integer } from '@oclif/core/flags'
import { orderSetFlags, orderSetOf } from '../../cli/orders/order-request.ts'
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { markersView } from '../../cli/views/lab-view.ts'

export default class LabsSetMarkers extends SvcCommand {
  static override summary = 'List the markers of an order set'
  static override description =
    'An order set is the lab tests and markers of one order. Lists everything that such an order would measure. ' +
    'Refused if they cannot be ordered together.'
  static override examples = examplesOf('--lab-test essential-health', '--lab-test essential-health --marker 602276')
  static override flags = {
    ...orderSetFlags(),
    page: integer({ description: 'Page number, from 1', default: 1 }),
    size: integer({ description: 'Markers on a page, 1 to 100', default: 50 }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabsSetMarkers)
    const set = await orderSetOf(await this.client(), flags)
    const page = await this.ask('labs.order_set_markers', { query: { page: flags.page, size: flags.size }, body: set })
    await this.print(page, markersView(page.markers))
    if (page.page < page.pages)
      this.hint(`Page ${page.page} of ${page.pages}, ${page.total} markers. Use --page for the other pages.`)
  }
}
