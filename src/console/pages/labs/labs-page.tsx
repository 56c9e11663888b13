import { Page } from '../../parts/page.tsx'

export default function LabsPage() {
  return <Page title="Labs">{null}</Page>
}
