/** The tabs of the labs topic: the catalogue and the orders. */
import { Tabs } from '../../parts/tabs.tsx'

export type LabTab = 'tests' | 'markers' | 'labs' | 'orders'

const TABS: Readonly<Record<LabTab, { readonly href: string; readonly title: string }>> = {
  tests: { href: '/console/labs', title: 'Lab tests' },
  markers: { href: '/console/labs?show=markers', title: 'Markers' },
  labs: { href: '/console/labs?show=labs', title: 'Laboratories' },
  orders: { href: '/console/labs/orders', title: 'Orders' },
}

export function LabTabs({ current }: { readonly current: LabTab }) {
  return <Tabs label="Labs" tabs={Object.values(TABS)} current={TABS[current].href} />
}
