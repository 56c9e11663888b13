/** The service's engine, with one tab for each part. */
import type { ComponentType } from 'preact'
import { useRoute } from 'preact-iso/router'
import { useSession } from '../../api/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Page, TopicTabs } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { AuditTrail } from './audit-trail.tsx'
import { Clock } from './clock.tsx'
import { Faults } from './faults.tsx'
import { Jobs } from './jobs.tsx'
import { OAuthApps } from './oauth-apps.tsx'
import { People } from './people.tsx'
import { Recordings } from './recordings.tsx'
import { Snapshots } from './snapshots.tsx'
import { Status } from './status.tsx'

/** The tabs' content, by the last part of their URLs. */
const VIEWS: ReadonlyMap<string, ComponentType> = new Map([
  ['status', Status],
  ['clock', Clock],
  ['jobs', Jobs],
  ['providers', OAuthApps],
  ['faults', Faults],
  ['snapshots', Snapshots],
  ['recordings', Recordings],
  ['audit', AuditTrail],
  ['people', People],
])

export default function EnginePage() {
  const { key } = useSession()
  const { part = key.is_operator ? 'status' : 'clock' } = useRoute().params
  const href = `/console/engine/${part}`
  const View = VIEWS.get(part)
  return (
    <Page title="Engine" about="The store and its clock, due jobs, and faults to test your application with.">
      <TopicTabs topic="/console/engine" current={href} />
      {View ? (
        <View />
      ) : (
        <Empty title="No such part" action={<LinkButton href="/console/engine/clock">Go to the clock</LinkButton>} />
      )}
    </Page>
  )
}
