/** What is shown instead of a page that the session may not see. */
import { useSession } from '../api/session.ts'
import { Card, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

export function NotAllowed() {
  const { person } = useSession()
  return (
    <Page title="Not available">
      <Card>
        {person === null ? (
          <Empty title="This part needs an operator's key">
            Your key is for one team, and this part concerns the whole store. Create a key with{' '}
            <code>svc engine key create --operator</code> and sign in with it.
          </Empty>
        ) : (
          <Empty title="Your role does not allow this page">
            Your role is {person.role}. An owner can change it with <code>svc engine person set</code>.
          </Empty>
        )}
      </Card>
    </Page>
  )
}
