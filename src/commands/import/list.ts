/** `svc import list`. */
import { integer, string } from '@oclif/core/flags'
import { importsView } from '../../cli/imports/import-view.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { watchFlags } from '../../cli/runtime/shared-flags.ts'

export default class ImportList extends SvcCommand {
  static override summary = 'List imports, newest first'
  static override description =
    'Lists imports of all users, or of one. In tables and csv, the samples and summaries columns count items in ' +
    'the file, and unchanged counts items that were already stored. json has the full reports.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --user ada --limit 10 --json',
  ]
  static override flags = {
    user: string({ description: 'Only this user', helpValue: 'USER' }),
    limit: integer({ description: 'Maximum number of imports to return, 1 to 500', default: 100 }),
    ...watchFlags(),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ImportList)
    await this.repeat(flags, async () => {
      const { user, limit } = flags
      const list =
        user === undefined
          ? await this.ask('import.list', { query: { limit } })
          : await this.withUser(user, user_id => this.ask('import.list', { query: { user_id, limit } }))
      await this.print(list, importsView(list.imports))
      if (list.imports.length === limit)
        this.hint(`There may be more than these ${limit} imports. Use --limit to show up to 500.`)
    })
  }
}
