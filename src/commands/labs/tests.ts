/** `svc labs tests`. */
import { integer, option, string } from '@oclif/core/flags'
import { LAB_TEST_STATUSES } from '../../catalogue/labs/lab-tests.ts'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { labTestsView } from '../../cli/views/lab-view.ts'
import { GENERATION_METHODS, LAB_TEST_ORDER_KEYS } from '../../contract/labs/lab-test.ts'

export default class LabsTests extends SvcCommand {
  static override summary = 'List lab tests: what can be ordered under one id'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --lab-slug quest --method walk_in_test',
    '<%= config.bin %> <%= command.id %> --marker 602345 --sort price',
  ]
  static override flags = {
    'lab-slug': string({ description: 'only of this lab' }),
    method: option({ options: COLLECTION_METHODS, description: 'only with this way of collecting the sample' })(),
    status: option({ options: LAB_TEST_STATUSES, description: 'only with this status' })(),
    name: string({ description: 'part of the name' }),
    marker: integer({ description: 'only with this marker; repeat it', multiple: true, multipleNonGreedy: true }),
    code: string({
      description: 'only with the marker of this lab’s code; repeat it',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'lab-account': string({ description: 'only what this account makes available', helpValue: 'ID' }),
    made: option({
      options: GENERATION_METHODS,
      description: 'manual: of the catalogue; auto: made by orders of single markers',
      default: 'manual' as const,
    })(),
    sort: option({ options: LAB_TEST_ORDER_KEYS, description: 'order of the list', default: 'created_at' as const })(),
    limit: integer({ description: 'lab tests on a page, 1 to 500', default: 50 }),
    cursor: string({ description: 'next_cursor of the page before' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabsTests)
    const page = await this.ask('labs.tests', {
      query: {
        lab_slug: flags['lab-slug'],
        collection_method: flags.method,
        status: flags.status,
        name: flags.name,
        marker_ids: flags.marker,
        provider_ids: flags.code,
        lab_account_id: flags['lab-account'],
        generation_method: flags.made,
        order_key: flags.sort,
        lab_test_limit: flags.limit,
        next_cursor: flags.cursor,
      },
    })
    await this.print(page, labTestsView(page.data))
    if (page.next_cursor) this.hint(`There are more: --cursor ${page.next_cursor}`)
  }
}
