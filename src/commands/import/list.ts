/** `svc import list`. */
import { integer, string } from '@oclif/core/flags'
import { importsView } from '../../cli/imports/import-view.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'

/** Maximum number of imports on a page. */
const MOST_IMPORTS = 500

export default class ImportList extends WatchedCommand {
  static override summary = 'List imports, newest first'
  static override description =
    'Lists the imports of all users or of one user. In tables and csv, the samples and summaries columns count items ' +
    'in the file, and the unchanged column counts items that were already stored. json contains the full reports.'
  static override examples = toExamples('', '--user ada --limit 10 --json')
  static override flags = {
    user: string({ description: 'Only this user', helpValue: 'USER' }),
    limit: integer({ description: 'Maximum number of imports to return, 1 to 500', default: 100 }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(ImportList)
    const { user, all, cursor } = flags
    const limit = all ? MOST_IMPORTS : flags.limit
    const show = (user_id?: string) =>
      this.printPages(
        all,
        at => this.ask('import.list', { query: { limit, user_id, next_cursor: cursor, ...at } }),
        ({ imports }) => importsView(imports),
      )
    const page = user === undefined ? await show() : await this.withUser(user, show)
    if (page.next_cursor !== null) this.hint(`More results: add --cursor ${page.next_cursor}`)
  }
}
