/** `svc labs markers`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, integer, string } from '@oclif/core/flags'
import { labTestIds } from '../../cli/arguments/lab-test-argument.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag, repeatable } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { PagePosition } from '../../cli/scripting/all-pages.ts'
import { markersView } from '../../cli/views/lab-view.ts'
import type { CallerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'

type Query = NonNullable<CallerInput<Operations['labs.markers']>['query']>

/** Maximum number of markers on a page. */
const MOST_MARKERS = 100

export default class LabsMarkers extends WatchedCommand {
  static override summary = 'List markers: biomarkers and panels with their LOINC codes'
  static override description = "In tables and csv, code is the lab's test code (provider_id in json)."
  static override examples = toExamples(
    'glucose',
    '--name "vitamin d" --lab-slug quest',
    '--lab-id 6 --size 100 --page 2 --output csv',
  )
  static override args = { name: stringArg({ description: 'Same as --name' }) }
  static override flags = {
    'lab-id': integer({
      description: 'Only the lab with this ID; can be repeated',
      ...repeatable,
    }),
    'lab-slug': string({ description: 'Only this lab; overrides --lab-id' }),
    name: string({ description: 'Only markers with this text in their name or code' }),
    'a-la-carte': boolean({
      description: 'Only markers that can be ordered individually; --no-a-la-carte for the others',
      allowNo: true,
    }),
    'lab-account': string({ description: 'Only markers available to this lab account', helpValue: 'ID' }),
    'lab-test': string({
      description: 'Only markers of this lab test, as ID or slug',
      helpValue: 'TEST',
      exclusive: ['lab-id', 'lab-slug', 'name', 'a-la-carte'],
    }),
    page: integer({ description: 'Page number, from 1', default: 1 }),
    size: integer({ description: 'Markers per page, 1 to 100', default: 50 }),
    all: allFlag('page', 'size'),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(LabsMarkers)
    const also = (['name', 'lab-test'] as const).find(each => flags[each] !== undefined)
    if (args.name !== undefined && also !== undefined) {
      throw new ServiceError('usage', `NAME and --${also} cannot be used together. NAME is the same as --name.`)
    }
    const query = {
      lab_id: flags['lab-id'],
      lab_slug: flags['lab-slug'],
      name: args.name ?? flags.name,
      a_la_carte_enabled: flags['a-la-carte'],
      page: flags.page,
      size: flags.all ? MOST_MARKERS : flags.size,
      lab_account_id: flags['lab-account'],
    }
    const read = (at: PagePosition) => this.page({ ...query, ...at }, flags['lab-test'])
    const page = await this.printPages(flags.all, read, ({ markers }) => markersView(markers))
    if (page.page > page.pages && page.total > 0)
      this.hint(`Page ${page.page} does not exist. The last page is ${page.pages}.`)
    if (page.page < page.pages)
      this.hint(`Page ${page.page} of ${page.pages}, ${page.total} markers. Use --page for the other pages.`)
  }

  private async page(query: Query, labTest: string | undefined) {
    if (labTest === undefined) return this.ask('labs.markers', { query })
    const [lab_test_id] = await labTestIds(await this.client(), [labTest])
    const { page, size, lab_account_id } = query
    return this.ask('labs.test_markers', {
      params: { lab_test_id: lab_test_id as string },
      query: { page, size, lab_account_id },
    })
  }
}
