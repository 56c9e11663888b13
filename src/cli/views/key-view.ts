/** Shows API keys. */

import { option } from '@oclif/core/flags'
import type { ResponseOf } from '../../client/client.ts'
import { ENVIRONMENTS, REGIONS } from '../../contract/teams/team.ts'
import { fields, ranked, type View, view } from '../../output/view.ts'

type Key = ResponseOf<'key.revoke'>

export const KEY_IS_SHOWN_ONCE =
  'Copy the API key now and keep it secret. Only its hash is stored, so it cannot be shown again.'

/** Flags that determine the prefix of a key. */
export const keyKindFlags = () => ({
  environment: option({
    options: ENVIRONMENTS,
    description: 'Environment; sandbox keys start with sk_, production keys with pk_',
    default: 'sandbox',
  })(),
  region: option({
    options: REGIONS,
    description: 'Region; part of the key, as in sk_us_ or sk_eu_',
    default: 'us',
  })(),
})

export function keyView(keys: readonly Key[]): View<Key> {
  return ranked(
    ['label', 'key', 'key_id', 'created_on', 'last_used_on', 'revoked_at', 'operator'],
    view(
      keys,
      {
        ...fields<Key>('key_id', 'team_id'),
        key: key => key.prefix,
        label: key => key.label,
        operator: key => (key.is_operator ? 'yes' : 'no'),
        ...fields<Key>('created_on', 'last_used_on', 'revoked_at'),
      },
      'No keys. Create one with `svc engine key create TEAM`.',
    ),
  )
}
