/** The service's engine, with one tab for each part. */
import type { ComponentType } from 'preact'
import { useRoute } from 'preact-iso/router'
import { useSession } from '../../api/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { AuditTrail } from './audit-trail.tsx'
import { Clock } from './clock.tsx'
import { Faults } from './faults.tsx'
import { Jobs } from './jobs.tsx'
import { OAuthApps } from './oauth-apps.tsx'
import { Recordings } from './recordings.tsx'
import { Snapshots } from './snapshots.tsx'
import { Status } from './status.tsx'

interface Part {
  readonly slug: string
  readonly title: string
  readonly view: ComponentType
  /** Whether the tab concerns the whole store and therefore needs an operator's key. */
  readonly isForOperators: boolean
}

const PARTS: readonly Part[] = [
  { slug: 'status', title: 'Status', view: Status, isForOperators: true },
  { slug: 'clock', title: 'Clock', view: Clock, isForOperators: false },
  { slug: 'jobs', title: 'Jobs', view: Jobs, isForOperators: false },
  { slug: 'providers', title: 'Live providers', view: OAuthApps, isForOperators: false },
  { slug: 'faults', title: 'Faults', view: Faults, isForOperators: true },
  { slug: 'snapshots', title: 'Snapshots', view: Snapshots, isForOperators: true },
  { slug: 'recordings', title: 'Recordings', view: Recordings, isForOperators: true },
  { slug: 'audit', title: 'Audit trail', view: AuditTrail, isForOperators: true },
]

export default function EnginePage() {
  const { key } = useSession()
  const { part = key.is_operator ? 'status' : 'clock' } = useRoute().params
  const shown = PARTS.find(each => each.slug === part)
  const View = shown?.view
  return (
    <Page title="Engine" about="The store and its clock, due jobs, and faults to test your application with.">
      <Tabs
        label="Parts of the engine"
        tabs={PARTS.map(({ slug, title }) => ({ href: `/console/engine/${slug}`, title }))}
        current={`/console/engine/${part}`}
      />
      {shown?.isForOperators && !key.is_operator ? (
        <Card>
          <Empty title="This part needs an operator's key">
            Your key is for one team, and this part concerns the whole store. Create a key with{' '}
            <code>svc engine key create --operator</code> and sign in with it.
          </Empty>
        </Card>
      ) : View ? (
        <View />
      ) : (
        <Empty title="No such part" action={<LinkButton href="/console/engine/clock">Go to the clock</LinkButton>} />
      )}
    </Page>
  )
}
