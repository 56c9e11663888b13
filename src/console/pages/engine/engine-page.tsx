import { Page } from '../../parts/page.tsx'

export default function EnginePage() {
  return <Page title="Engine">{null}</Page>
}
