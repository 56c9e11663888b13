/** A user's latest profile info, and the dialog that sets it. */
import { readableName } from '../../../catalogue/wording.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { addressText } from '../../parts/person-fields.ts'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { ProfileForm } from './profile-form.tsx'

export function Profile({ userId }: { readonly userId: string }) {
  const load = useLoad('user.info', { params: { user_id: userId } })
  const info = load.data
  const isMissing = load.problem?.status === 404
  const { query, change } = useUrlState()
  const edit = (
    <Button isSmall={!isMissing} needs="user.set_info" onClick={() => change({ open: 'profile' }, true)}>
      {isMissing ? 'Set the profile' : 'Edit the profile'}
    </Button>
  )
  return (
    <Card title="Profile" actions={info && edit}>
      {load.isLoading && !info && <Skeleton lines={3} />}
      {isMissing ? (
        <Empty title="No profile info" action={edit}>
          Lab orders take the patient from it. On a terminal, <code>svc user set-info</code> sets it.
        </Empty>
      ) : (
        <ProblemNote problem={load.problem} onRetry={load.reload} />
      )}
      {info && (
        <Facts
          rows={[
            ['Name', <Name key="name" lines={3}>{`${info.first_name} ${info.last_name}`}</Name>],
            ['Date of birth', info.dob],
            ['Gender', readableName(info.gender)],
            ['E-mail', info.email],
            ['Phone', info.phone_number],
            [
              'Address',
              <Name key="address" lines={3}>
                {addressText(info.address)}
              </Name>,
            ],
            [
              'Medical proxy',
              info.medical_proxy && (
                <Name key="proxy">{`${info.medical_proxy.first_name} ${info.medical_proxy.last_name}`}</Name>
              ),
            ],
          ]}
        />
      )}
      {query['open'] === 'profile' && (info || isMissing) && (
        <ProfileForm
          userId={userId}
          info={info ?? null}
          onClose={() => change({ open: null })}
          onSaved={saved => {
            change({ open: null })
            load.replace(saved)
          }}
        />
      )}
    </Card>
  )
}
