/** The columns of a list of passkeys. */
import type { Passkey } from '../../api/passkeys.ts'
import { Name } from '../small.tsx'
import type { Column } from '../table.tsx'
import { Ago } from '../time.tsx'

export const PASSKEY_COLUMNS: readonly Column<Passkey>[] = [
  { title: 'Passkey', sort: ({ name }) => name, cell: ({ name }) => <Name>{name}</Name> },
  { title: 'Works at', cell: ({ host }) => host },
  { title: 'Added', sort: ({ created_at: at }) => at, cell: ({ created_at: at }) => <Ago at={at} clock="real" /> },
  {
    title: 'Last used',
    sort: ({ last_used_at: at }) => at ?? '',
    cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Ago at={at} clock="real" />),
  },
]
