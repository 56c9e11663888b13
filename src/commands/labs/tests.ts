/** `svc labs tests`. */
import { integer, option, string } from '@oclif/core/flags'
import { LAB_TEST_STATUSES } from '../../catalogue/labs/lab-tests.ts'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag, repeatable } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { labTestsView } from '../../cli/views/lab-view.ts'
import { GENERATION_METHODS, LAB_TEST_ORDER_KEYS } from '../../contract/labs/lab-test.ts'

/** Maximum number of lab tests on a page. */
const MOST_LAB_TESTS = 500

export default class LabsTests extends WatchedCommand {
  static override summary = 'List lab tests'
  static override examples = toExamples('', '--lab-slug quest --method walk_in_test', '--marker 602345 --sort price')
  static override flags = {
    'lab-slug': string({ description: 'Only lab tests of this lab' }),
    method: option({ options: COLLECTION_METHODS, description: 'Only lab tests with this collection method' })(),
    status: option({ options: LAB_TEST_STATUSES, description: 'Only lab tests with this status' })(),
    name: string({ description: 'Only lab tests with this text in their name' }),
    marker: integer({
      description: 'Only lab tests with this marker; can be repeated',
      ...repeatable,
    }),
    code: string({
      description: 'Only lab tests that include the marker with this lab code; can be repeated',
      ...repeatable,
    }),
    'lab-account': string({ description: 'Only lab tests available to this lab account', helpValue: 'ID' }),
    made: option({
      options: GENERATION_METHODS,
      description: 'Only lab tests from the catalogue (manual), or lab tests created by single-marker orders (auto)',
      default: 'manual' as const,
    })(),
    sort: option({ options: LAB_TEST_ORDER_KEYS, description: 'Field to sort by', default: 'created_at' as const })(),
    limit: integer({ description: 'Maximum number of lab tests to return, 1 to 500', default: 50 }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(LabsTests)
    const query = {
      lab_slug: flags['lab-slug'],
      collection_method: flags.method,
      status: flags.status,
      name: flags.name,
      marker_ids: flags.marker,
      provider_ids: flags.code,
      lab_account_id: flags['lab-account'],
      generation_method: flags.made,
      order_key: flags.sort,
      lab_test_limit: flags.all ? MOST_LAB_TESTS : flags.limit,
      next_cursor: flags.cursor,
    }
    const page = await this.printPages(
      flags.all,
      at => this.ask('labs.tests', { query: { ...query, ...at } }),
      ({ data }) => labTestsView(data),
    )
    if (page.next_cursor) this.hint(`More results: add --cursor ${page.next_cursor}`)
  }
}
