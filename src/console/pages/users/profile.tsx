/** The latest profile info of a user. */
import { useLoad } from '../../api/use-call.ts'
import { Name, words } from '../../parts/name.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'

export function Profile({ userId }: { readonly userId: string }) {
  const load = useLoad('user.info', { params: { user_id: userId } })
  const info = load.data
  const isMissing = load.problem?.status === 404
  return (
    <Card title="Profile">
      {load.isLoading && !info && <Skeleton lines={3} />}
      {isMissing ? (
        <Empty title="No profile info">
          Lab orders need one. Set it with <code>svc user set-info</code>.
        </Empty>
      ) : (
        <ProblemNote problem={load.problem} onRetry={load.reload} />
      )}
      {info && (
        <Facts
          rows={[
            ['Name', <Name key="name" lines={3}>{`${info.first_name} ${info.last_name}`}</Name>],
            ['Date of birth', info.dob],
            ['Gender', words(info.gender)],
            ['E-mail', info.email],
            ['Phone', info.phone_number],
            [
              'Address',
              <Name key="address" lines={3}>
                {[
                  info.address.first_line,
                  info.address.second_line,
                  info.address.city,
                  info.address.state,
                  info.address.zip,
                  info.address.country,
                ]
                  .filter(Boolean)
                  .join(', ')}
              </Name>,
            ],
          ]}
        />
      )}
    </Card>
  )
}
