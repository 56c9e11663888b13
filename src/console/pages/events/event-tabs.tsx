/** The tabs of the events topic: the events, and the endpoints that they are sent to. */
import { Tabs } from '../../parts/tabs.tsx'

const TABS = [
  { href: '/console/events', title: 'Events' },
  { href: '/console/events/endpoints', title: 'Endpoints' },
]

export function EventTabs({ current }: { readonly current: string }) {
  return <Tabs label="Events and endpoints" tabs={TABS} current={current} />
}
