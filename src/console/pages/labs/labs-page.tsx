/** The catalogue of lab tests, markers and laboratories. */

import { LinkButton } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { TopicTabs } from '../../parts/tabs.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { LabList } from './lab-list.tsx'
import { MarkerList } from './marker-list.tsx'
import { TestList } from './test-list.tsx'

export default function LabsPage() {
  const { show } = useUrlState().query
  const current = show === 'markers' || show === 'labs' ? show : 'tests'
  return (
    <Page
      title="Labs"
      about="Markers that laboratories measure, and lab tests that you can order."
      actions={
        <LinkButton kind="primary" href="/console/labs/orders?new=1">
          Place an order
        </LinkButton>
      }
    >
      <TopicTabs
        topic="/console/labs"
        current={current === 'tests' ? '/console/labs' : `/console/labs?show=${current}`}
      />
      {current === 'tests' && <TestList />}
      {current === 'markers' && <MarkerList />}
      {current === 'labs' && <LabList />}
    </Page>
  )
}
