import { Page } from '../../parts/page.tsx'

export default function DataPage() {
  return <Page title="Data">{null}</Page>
}
