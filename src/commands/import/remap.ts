/** `svc import remap`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { importProgress } from '../../cli/imports/import-progress.ts'
import { printRemap, remapFlags } from '../../cli/imports/remap.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { ServiceError } from '../../core/errors.ts'

export default class ImportRemap extends SvcCommand {
  static override summary = "Read kept import files again with today's importers"
  static override description =
    'After a new version of svc reads a format differently, reads the kept files again and stores what differs. Each ' +
    'user gets one step, which `svc import list` shows with the format remap and `svc import undo` undoes. Data that ' +
    'has changed since the import is kept. Files are kept if the team says so: svc engine team set TEAM --keep-imports ' +
    '90d.'
  static override examples = toExamples(
    '738bccc0-d121-866c-a203-f6ce695222d0 --dry-run',
    '--user ada',
    '--format apple_health --dry-run --all --output ndjson',
  )
  static override args = {
    import_id: stringArg({ description: 'Import ID from `svc import list`; can be repeated', multiple: true }),
  }
  static override flags = {
    user: string({ description: 'Read all kept files of this user again', helpValue: 'USER' }),
    format: string({ description: 'Read only kept files of this format again', helpValue: 'FORMAT' }),
    ...remapFlags(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ImportRemap)
    const { user, format } = flags
    const import_ids = [...new Set([args.import_id ?? []].flat())]
    if (import_ids.length > 0 === (user !== undefined || format !== undefined)) throw oneWay()
    const signal = interruptSignal()
    const remap = (user_id?: string) =>
      printRemap(
        flags,
        async query => {
          const { onProgress, end } = importProgress({ quiet: this.isQuiet })
          const body = { ...(import_ids.length > 0 ? { import_ids } : {}), user_id, format }
          return this.ask('import.remap', { query, body }, { signal, onProgress }).finally(end)
        },
        {
          pages: (isAll, read, viewOf) => this.printPages(isAll, read, viewOf),
          hint: line => this.hint(line),
        },
      )
    if (user === undefined) await remap()
    else await this.withUser(user, remap)
  }
}

function oneWay(): ServiceError {
  return new ServiceError('usage', 'Name imports, or choose them with --user, --format or both.', {
    suggestions: ['`svc import list` shows the IDs of imports.'],
  })
}
