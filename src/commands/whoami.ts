/** `svc whoami`. */
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { ServiceError } from '../core/errors.ts'
import { shownStore } from '../core/store-url.ts'
import { type Cell, factSheet, isEmpty } from '../output/view.ts'
import { maskKey, type Setting, type Settings } from '../profile/settings.ts'

interface Team {
  readonly team_id: string
  readonly name: string
}

export default class Whoami extends SvcCommand {
  static override summary = 'Show the service, team and settings in use'
  static override description =
    'Shows where each setting comes from. A flag overrides a variable, a variable overrides the profile, and the ' +
    'profile overrides the default.'
  static override examples = toExamples('', '--profile staging --json')

  async run(): Promise<void> {
    await this.parse(Whoami)
    const settings = settingsDocument(this.settings)
    const mode = this.settings.baseUrl.value === null ? 'embedded' : 'remote'
    const team = await this.team()
    const rows: (readonly [string, Cell, string])[] = [
      ['mode', mode, ''],
      ['team_id', team?.team_id, 'service'],
      ['team', team?.name, 'service'],
      ...Object.entries(settings).map(([name, { value, source }]) => [name, value, source] as const),
    ]
    await this.print(
      { mode, team, settings },
      {
        ...factSheet({
          mode,
          team_id: team?.team_id,
          team: team?.name,
          ...Object.fromEntries(
            Object.entries(settings).flatMap(([name, { value, source }]) => [
              [name, value],
              [`${name}_source`, source],
            ]),
          ),
        }),
        sheet: { head: ['what', 'value', 'source'], rows: rows.filter(([, value]) => !isEmpty(value)) },
      },
    )
  }

  /** Returns the team; null for another server that does not have this operation. */
  private async team(): Promise<Team | null> {
    try {
      return await this.ask('team.whoami', {})
    } catch (error) {
      if (error instanceof ServiceError && (error.code === 'unsupported_operation' || error.status === 404)) return null
      throw error
    }
  }
}

function settingsDocument(settings: Settings): Record<string, Setting<string | number | null>> {
  const { apiKey, store } = settings
  return {
    profile: settings.profile,
    base_url: settings.baseUrl,
    api_key: { value: apiKey.value === null ? null : maskKey(apiKey.value), source: apiKey.source },
    data_dir: settings.dataDir,
    store: { value: store.value === null ? null : shownStore(store.value), source: store.source },
    header_prefix: settings.headerPrefix,
    timeout_ms: settings.timeoutMs,
    public_url: settings.publicUrl,
  }
}
