import { Page } from '../../parts/page.tsx'

export default function OrdersPage() {
  return <Page title="Orders">{null}</Page>
}
