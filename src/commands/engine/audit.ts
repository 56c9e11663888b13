/** `svc engine audit`. */

import { integer, string } from '@oclif/core/flags'
import { dateReader, repeatableFlags } from '../../cli/arguments/dates.ts'
import { resolveTeamId } from '../../cli/arguments/team-argument.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../client/client.ts'
import { operationIds } from '../../contract/operations.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { fields, ranked, view } from '../../output/view.ts'

type Entry = ResponseOf<'audit.list'>['entries'][number]

/** Maximum number of entries on a page. */
const MOST_LINES = 500

export default class EngineAudit extends WatchedCommand {
  static override summary = 'Read the audit trail, newest first'
  static override description =
    'Shows who did what to which object, and the outcome. There is one entry for each call that changes something, ' +
    'including refused calls. Entries contain IDs but no values, and cannot be changed or removed. Reads and calls ' +
    'with an unknown key are not recorded.'
  static override examples = toExamples(
    '',
    '--team acme --operation user.delete --since 2026-11-01',
    '--limit 500 --output csv',
  )
  static override flags = {
    team: string({ description: 'Only this team, as name or team_id', helpValue: 'TEAM' }),
    operation: string({ description: 'Only this operation, for example user.create', helpValue: 'ID' }),
    since: string({ description: `Only entries since this time: ${WHEN_HELP}`, helpValue: 'WHEN' }),
    limit: integer({ description: 'Maximum number of entries to return, 1 to 500', default: 100 }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(EngineAudit)
    const { operation, all, cursor } = flags
    const limit = all ? MOST_LINES : flags.limit
    if (operation !== undefined) checkOperation(operation)
    const team_id =
      flags.team === undefined ? undefined : await resolveTeamId(flags.team, () => this.ask('team.list', {}))
    const since = await dateReader(await this.client())('start', '--since', flags.since)
    const query = { limit, operation, since, next_cursor: cursor, ...(team_id === undefined ? {} : { team_id }) }
    const columns = {
      ...fields<Entry>('at', 'actor', 'operation'),
      object: (entry: Entry) => objectText(entry.object),
      ...fields<Entry>('outcome', 'team_id'),
    }
    const page = await this.printPages(
      all,
      at => this.ask('audit.list', { query: { ...query, ...at } }),
      ({ entries }) => ranked(['operation', 'at', 'outcome', 'actor', 'object'], view(entries, columns, 'No entries.')),
    )
    if (page.next_cursor !== null)
      this.hint(`More results: add ${repeatableFlags({ '--since': [flags.since, since] })}--cursor ${page.next_cursor}`)
  }
}

function objectText(object: Readonly<Record<string, string>>): string {
  return Object.entries(object)
    .map(([name, id]) => `${name}=${id}`)
    .join(' ')
}

/** Refuses only names that look like a typo, because a newer server may have more operations. */
function checkOperation(given: string): void {
  if ((operationIds as readonly string[]).includes(given)) return
  const hint = didYouMean(given, operationIds)
  if (hint !== '') throw new ServiceError('usage', `There is no operation with this name.${hint}`)
}
