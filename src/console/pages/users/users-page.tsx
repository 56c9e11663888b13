import { Page } from '../../parts/page.tsx'

export default function UsersPage() {
  return <Page title="Users">{null}</Page>
}
