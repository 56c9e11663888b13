import { Page } from '../../parts/page.tsx'

export default function EventPage() {
  return <Page title="Event">{null}</Page>
}
