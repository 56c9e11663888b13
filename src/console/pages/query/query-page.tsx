import { Page } from '../../parts/page.tsx'

export default function QueryPage() {
  return <Page title="Query">{null}</Page>
}
