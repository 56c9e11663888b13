/** What commands say about API keys. */
import { option } from '@oclif/core/flags'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ENVIRONMENTS, REGIONS } from '../../contract/teams/team.ts'
import { type View, view } from '../../output/view.ts'

type Key = ReplyBody<Operations['key.revoke']>

export const KEY_IS_SHOWN_ONCE =
  'The API key is shown this once: it is kept as a hash. Store it where secrets are kept.'

/** What a key begins with. */
export const keyKindFlags = () => ({
  environment: option({
    options: ENVIRONMENTS,
    description: 'Environment, which decides the prefix: sk_… or pk_…',
    default: 'sandbox',
  })(),
  region: option({ options: REGIONS, description: 'Region in the prefix: …us_ or …eu_', default: 'us' })(),
})

export function keyView(keys: readonly Key[]): View<Key> {
  return view(
    keys,
    {
      key_id: key => key.key_id,
      team_id: key => key.team_id,
      key: key => key.prefix,
      label: key => key.label,
      operator: key => (key.is_operator ? 'yes' : 'no'),
      created_on: key => key.created_on,
      last_used_on: key => key.last_used_on,
      revoked_at: key => key.revoked_at,
    },
    'No keys. `svc engine key create TEAM` makes one.',
  )
}
