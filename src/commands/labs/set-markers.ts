/** `svc labs set-markers`. */
import { integer } from '@oclif/core/flags'
import { buildOrderSet, orderSetFlags } from '../../cli/orders/order-request.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { markersView } from '../../cli/views/lab-view.ts'

/** Maximum number of markers on a page. */
const MOST_MARKERS = 100

export default class LabsSetMarkers extends WatchedCommand {
  static override summary = 'List the markers of an order set'
  static override description =
    'An order set consists of the lab tests and markers of one order. Lists everything that the order would ' +
    'measure. The command is refused if they cannot be ordered together.'
  static override examples = toExamples('--lab-test essential-health', '--lab-test essential-health --marker 602276')
  static override flags = {
    ...orderSetFlags(),
    page: integer({ description: 'Page number, from 1', default: 1 }),
    size: integer({ description: 'Markers per page, 1 to 100', default: 50 }),
    all: allFlag('page', 'size'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(LabsSetMarkers)
    const set = await buildOrderSet(await this.client(), flags)
    const query = { page: flags.page, size: flags.all ? MOST_MARKERS : flags.size }
    const page = await this.printPages(
      flags.all,
      at => this.ask('labs.order_set_markers', { query: { ...query, ...at }, body: set }),
      ({ markers }) => markersView(markers),
    )
    if (page.page < page.pages)
      this.hint(`Page ${page.page} of ${page.pages}, ${page.total} markers. Use --page for the other pages.`)
  }
}
