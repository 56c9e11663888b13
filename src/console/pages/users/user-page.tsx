import { Page } from '../../parts/page.tsx'

export default function UserPage() {
  return <Page title="User">{null}</Page>
}
