import { Page } from '../../parts/page.tsx'

export default function EndpointsPage() {
  return <Page title="Endpoints">{null}</Page>
}
