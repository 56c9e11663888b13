/** The passkeys of all people, which owners can remove. */
import { call } from '../../api/call.ts'
import type { Passkey } from '../../api/passkeys.ts'
import { useLoader } from '../../api/use-call.ts'
import { PASSKEY_COLUMNS } from '../../parts/list/passkey-columns.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { Name } from '../../parts/name.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'

const REMOVE: Change<Passkey> = {
  title: 'Remove',
  needs: 'passkey.remove',
  done: 'removed',
  act: ({ passkey_id }) => call('passkey.remove', { params: { passkey_id } }),
  confirm: 'It no longer signs in. Sessions that are open continue.',
  isDanger: true,
  isForMany: true,
}

/** `version` changes when passkeys were removed elsewhere on the page. */
export function Passkeys({ version }: { readonly version: number }) {
  const load = useLoader(`passkeys ${version}`, signal => call('passkey.list', {}, { signal }))
  return (
    <>
      <ListCard
        title="Passkeys"
        load={load}
        readRows={({ passkeys }) => passkeys}
        rowKey={({ passkey_id: id }) => id}
        empty={<Empty title="No passkeys">People add their own passkeys, with the button below their name.</Empty>}
        noun="passkeys"
        nameOf={({ person, name }) => `the passkey ${name} of ${person}`}
        columns={[
          { title: 'Who', sort: ({ person }) => person, cell: ({ person }) => <Name>{person}</Name> },
          ...PASSKEY_COLUMNS,
        ]}
        rowActions={[REMOVE]}
      />
      <Command words={['svc', 'engine', 'passkey', 'list']} />
    </>
  )
}
