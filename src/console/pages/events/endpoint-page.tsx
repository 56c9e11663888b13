import { Page } from '../../parts/page.tsx'

export default function EndpointPage() {
  return <Page title="Endpoint">{null}</Page>
}
