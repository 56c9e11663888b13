import { Page } from '../../parts/page.tsx'

export default function EventsPage() {
  return <Page title="Events">{null}</Page>
}
