/** The console's topics and their tabs, for the navigation, the tabs, the breadcrumbs and the command menu. */
import {
  BookOpen,
  ChartSpline,
  Cog,
  FileUp,
  FlaskConical,
  type IconNode,
  LayoutDashboard,
  Sigma,
  Users,
  Webhook,
} from 'lucide'
import type { OperationId } from '../api/call.ts'
import { mayUse } from '../api/session.ts'

export interface Place {
  readonly href: string
  readonly title: string
  /** The operation without which the page is useless. Sessions that may not use it do not see the page. */
  readonly needs?: OperationId
}

export interface Topic extends Place {
  readonly icon: IconNode
  readonly tabs?: readonly Place[]
}

/** Navigation entries, in order. URLs below an entry belong to it. */
export const NAVIGATION: readonly Topic[] = [
  { href: '/console', title: 'Overview', icon: LayoutDashboard },
  { href: '/console/users', title: 'Users', icon: Users },
  {
    href: '/console/data',
    title: 'Data',
    icon: ChartSpline,
    needs: 'timeseries.grouped',
    tabs: [
      { href: '/console/data', title: 'Resources' },
      { href: '/console/data/day', title: 'Day' },
    ],
  },
  {
    href: '/console/query',
    title: 'Query',
    icon: Sigma,
    needs: 'aggregate.query',
    tabs: [
      { href: '/console/query', title: 'Query' },
      { href: '/console/query/charts', title: 'Charts' },
    ],
  },
  {
    href: '/console/events',
    title: 'Events',
    icon: Webhook,
    tabs: [
      { href: '/console/events', title: 'Events' },
      { href: '/console/events/endpoints', title: 'Endpoints' },
    ],
  },
  {
    href: '/console/labs',
    title: 'Labs',
    icon: FlaskConical,
    tabs: [
      { href: '/console/labs', title: 'Lab tests' },
      { href: '/console/labs?show=markers', title: 'Markers' },
      { href: '/console/labs?show=labs', title: 'Laboratories' },
      { href: '/console/labs/orders', title: 'Orders', needs: 'order.list' },
    ],
  },
  { href: '/console/import', title: 'Import', icon: FileUp },
  {
    href: '/console/engine',
    title: 'Engine',
    icon: Cog,
    tabs: [
      { href: '/console/engine/status', title: 'Status', needs: 'engine.status' },
      { href: '/console/engine/clock', title: 'Clock' },
      { href: '/console/engine/jobs', title: 'Jobs' },
      { href: '/console/engine/providers', title: 'Live providers' },
      { href: '/console/engine/faults', title: 'Faults', needs: 'fault.list' },
      { href: '/console/engine/snapshots', title: 'Snapshots', needs: 'snapshot.list' },
      { href: '/console/engine/recordings', title: 'Recordings', needs: 'recording.get' },
      { href: '/console/engine/audit', title: 'Audit trail', needs: 'audit.list' },
      { href: '/console/engine/people', title: 'People', needs: 'person.list' },
    ],
  },
  { href: '/console/reference', title: 'API reference', icon: BookOpen },
]

/** All topics and tabs, each URL once. */
export const PLACES: readonly (Place & { readonly topic: string })[] = NAVIGATION.flatMap(topic => [
  { ...topic, topic: '' },
  ...(topic.tabs ?? []).filter(tab => tab.href !== topic.href).map(tab => ({ ...tab, topic: topic.title })),
])

/** Returns whether a URL is below a topic or tab. Nothing is below the overview. */
export function isBelow(here: string, href: string): boolean {
  return href !== '/console' && here.startsWith(`${href}/`)
}

/** Returns whether the session may see a page or a tab. */
export const isVisible = ({ needs }: Place): boolean => needs === undefined || mayUse(needs)

/** Returns whether the session may see the page at a URL, which may be below a page of the navigation. */
export function isVisibleAt(path: string): boolean {
  return PLACES.filter(({ href }) => path === href || path.startsWith(`${href}/`)).every(isVisible)
}
