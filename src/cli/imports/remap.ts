/** What `svc import remap` and `svc provider remap` share: their flags, and how the response is printed. */
import { boolean, integer, string } from '@oclif/core/flags'
import type { View } from '../../output/view.ts'
import { allFlag } from '../runtime/shared-flags.ts'
import { changesView, countsView, type RemapReport, remapHints } from './remap-view.ts'

/** Maximum number of changes on a page. */
const MOST_CHANGES = 10_000

/** `--dry-run`, and how many changes it lists. */
export const remapFlags = () => ({
  'dry-run': boolean({ description: 'List every value that would change, and store nothing' }),
  limit: integer({
    description: 'Maximum number of changes that --dry-run lists, 1 to 10000; defaults to 100',
    dependsOn: ['dry-run'],
  }),
  cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR', dependsOn: ['dry-run'] }),
  all: { ...allFlag('limit'), dependsOn: ['dry-run'] },
})

interface Flags {
  readonly 'dry-run': boolean
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly all: boolean
}

interface Query {
  readonly dry_run: boolean
  readonly limit?: number
  readonly next_cursor?: string | null | undefined
}

type Position = { readonly next_cursor?: string | null }

/** How a command prints. */
interface Printer {
  pages<Row>(
    isAll: boolean,
    read: (at: Position) => Promise<RemapReport>,
    viewOf: (page: RemapReport) => View<Row>,
  ): Promise<RemapReport>
  hint(line: string): void
}

/** Requests a remap or the changes of a dry run, and prints them. */
export async function printRemap(
  flags: Flags,
  request: (query: Query) => Promise<RemapReport>,
  printer: Printer,
): Promise<void> {
  const { 'dry-run': dry_run, all, cursor } = flags
  const limit = all ? MOST_CHANGES : flags.limit
  const read = (at: Position): Promise<RemapReport> =>
    request({ dry_run, next_cursor: cursor, ...(limit === undefined ? {} : { limit }), ...at })
  const report = dry_run ? await printer.pages(all, read, changesView) : await printer.pages(false, read, countsView)
  for (const line of remapHints(report, all)) printer.hint(line)
}
