/** Shows users in tables and csv. */

import type { ResponseOf } from '../../client/client.ts'
import { asRecord, fields, ranked, type View, view } from '../../output/view.ts'

export type User = ResponseOf<'user.get'>

/** Returns the view of one user. */
export function userRecord(user: User): View<User> {
  return asRecord(userView([user]))
}

export function userView(users: readonly User[]): View<User> {
  return ranked(
    ['client_user_id', 'user_id', 'created_on', 'providers', 'time_zone'],
    view(
      users,
      {
        ...fields<User>('user_id', 'client_user_id', 'created_on'),
        providers: user => user.connected_sources.map(each => each.provider?.slug ?? each.source.slug).join(' '),
        time_zone: user => user.fallback_time_zone?.id,
        birth_date: user => user.fallback_birth_date?.value,
        ...fields<User>('ingestion_start', 'ingestion_end'),
      },
      'No users. Create one with `svc user create CLIENT_USER_ID`.',
    ),
  )
}
