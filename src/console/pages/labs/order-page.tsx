import { Page } from '../../parts/page.tsx'

export default function OrderPage() {
  return <Page title="Order">{null}</Page>
}
