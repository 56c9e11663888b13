import { Page } from '../../parts/page.tsx'

export default function ImportPage() {
  return <Page title="Import">{null}</Page>
}
