/** All laboratories. */
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Card } from '../../parts/page.tsx'
import { ListTable } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'

type Lab = ResponseOf<'labs.list'>[number]

const COLUMNS: readonly Column<Lab>[] = [
  {
    title: 'Laboratory',
    sort: lab => lab.name,
    cell: lab => (
      <div class="labs-name">
        <a href={`/console/labs?show=markers&lab=${lab.slug}`}>{lab.name}</a>
        <code class="soft">{lab.slug}</code>
      </div>
    ),
  },
  { title: 'Place', sort: lab => lab.city, cell: lab => `${lab.first_line_address}, ${lab.zipcode} ${lab.city}` },
  {
    title: 'Collection methods',
    cell: lab => (
      <span class="row">
        {lab.collection_methods.map(each => (
          <Badge key={each}>{readableName(each)}</Badge>
        ))}
      </span>
    ),
  },
  { title: 'Sample types', cell: lab => lab.sample_types.map(readableName).join(', ') },
]

export function LabList() {
  const load = useLoad('labs.list', {})
  return (
    <>
      <Card isFlush>
        <ListTable
          label="Laboratories"
          noun="laboratories"
          load={load}
          lines={10}
          columns={COLUMNS}
          readRows={labs => labs}
          rowKey={lab => lab.slug}
          empty={<Empty title="No laboratories" />}
        />
      </Card>
      <Command words={['svc', 'labs', 'list']} />
    </>
  )
}
