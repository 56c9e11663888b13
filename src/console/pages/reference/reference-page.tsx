import { Page } from '../../parts/page.tsx'

export default function ReferencePage() {
  return <Page title="API reference">{null}</Page>
}
