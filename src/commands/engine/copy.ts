/** `svc engine copy`. */
import { string } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { copyDocument, copyProgress, copyView } from '../../cli/views/copy-view.ts'
import { ServiceError } from '../../core/errors.ts'
import { quotedPath } from '../../core/private-file.ts'
import { storeUrlOfArgument } from '../../core/store-url.ts'
import { type CopyLocation, copyStore } from '../../engine/folder.ts'

export default class EngineCopy extends SvcCommand {
  static override summary = 'Copy a whole store from a data folder to PostgreSQL, or the other way'
  static override description =
    'Each side is a data folder or a postgres:// URL without a password; the password comes from PGPASSWORD or ' +
    '~/.pgpass. The target must be a new folder or an empty database. Nothing may write to the source during the ' +
    'copy. An interrupted copy continues when you run the same command again; until it is finished, the target ' +
    'cannot be used. Both sides use the same SVC_MASTER_KEY. Faults, recordings, named snapshots and the state of ' +
    'running servers are not copied.'
  static override examples = toExamples(
    '--from ~/svc-data --to postgres://svc@db.example.com/svc',
    '--from postgres://svc@db.example.com/svc --to backup --json',
  )
  static override flags = {
    from: string({ description: 'Store to copy; it is not changed', required: true, helpValue: 'DIR|URL' }),
    to: string({ description: 'Store to fill; must be new or empty', required: true, helpValue: 'DIR|URL' }),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineCopy)
    this.refuseOtherStores()
    const [from, to] = [parseStoreLocation(flags.from, '--from'), parseStoreLocation(flags.to, '--to')]
    const { onProgress, end } = copyProgress({ quiet: this.isQuiet })
    try {
      const note = (line: string): void => this.hint(line)
      const document = copyDocument(await copyStore({ from, to, onProgress, note, signal: interruptSignal() }))
      end()
      await this.print(document, copyView(document))
      const target = quotedPath(document.to)
      const storeFlags = typeof to === 'string' ? `--data-dir ${target}` : `--store ${target} --data-dir NEW_FOLDER`
      this.hint(`To check the copy: svc engine check ${storeFlags}`)
    } finally {
      end()
    }
  }

  private refuseOtherStores(): void {
    const { store, dataDir, baseUrl } = this.givenFlags
    if (store === undefined && dataDir === undefined && baseUrl === undefined) return
    throw new ServiceError('usage', 'A copy uses only the stores given with --from and --to.', {
      suggestions: ['Leave out --store, --data-dir and --base-url.'],
    })
  }
}

/** Throws ServiceError `usage` for a URL that is not valid or contains a password. */
function parseStoreLocation(text: string, flag: string): CopyLocation {
  return /^postgres(?:ql)?:/.test(text) ? storeUrlOfArgument(text, flag) : text
}
