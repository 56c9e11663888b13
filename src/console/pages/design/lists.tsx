/** Lists and tables. */
import { useState } from 'preact/hooks'
import { Problem } from '../../api/problem.ts'
import type { Load } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Filters } from '../../parts/list/filters.tsx'
import type { RowAction } from '../../parts/list/row-actions.tsx'
import { Card } from '../../parts/page.tsx'
import { ListCard, PagedTable } from '../../parts/paged-table.tsx'
import { Search } from '../../parts/search.tsx'
import { Badge, type Tone } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'

interface Row {
  readonly name: string
  readonly tone: Tone
  readonly samples: number
}

const STATES = { good: 'connected', warn: 'paused', bad: 'failed', accent: 'waiting', neutral: 'disabled' } as const
const TONES = Object.keys(STATES) as readonly Tone[] // the keys are tones
const ROWS = [...TONES, ...TONES].map((tone, i): Row => ({ name: `person-${i + 1}`, tone, samples: 7 ** (i + 2) }))
const COLUMNS: readonly Column<Row>[] = [
  { title: 'User', sort: ({ name }) => name, cell: ({ name }) => <a href="/console/users">{name}</a> },
  { title: 'State', cell: ({ tone }) => <Badge tone={tone}>{STATES[tone]}</Badge> },
  { title: 'Samples', isNumber: true, sort: ({ samples }) => samples, cell: ({ samples }) => count(samples) },
]
const NUMBERS: readonly Column<Row>[] = Array.from({ length: 12 }, (_, i) => ({
  title: `Samples of hour ${i}`,
  isNumber: true,
  cell: ({ samples }) => count(samples * (i + 1)),
}))

export function Lists() {
  const [rows, setRows] = useState(ROWS.slice(0, 5))
  const load: Load<readonly Row[]> = {
    data: rows,
    problem: null,
    isLoading: false,
    reload: () => {},
    replace: () => {},
  }
  const remove: RowAction<Row> = {
    title: 'Delete',
    done: 'deleted',
    act: async ({ name }) => {
      if (name === 'person-3') throw new Problem(409, '', 'The user is being changed.')
      setRows(before => before.filter(each => each.name !== name))
    },
    confirm: 'The third person cannot be deleted.',
    isDanger: true,
    isForMany: true,
  }
  return (
    <>
      <ListCard
        title="List"
        actions={<Button isSmall>Action</Button>}
        noun="people"
        load={load}
        readRows={data => data}
        columns={COLUMNS}
        rowKey={row => row.name}
        rowActions={[{ title: 'Open', open: () => {} }, remove]}
        empty={<Empty title="No people" />}
      >
        <Filters
          filters={[
            { name: 'tone', label: 'State', options: TONES.map(value => ({ value, label: STATES[value] })) },
            { name: 'since', label: 'Since', type: 'date' },
          ]}
        >
          <Search placeholder="client_user_id" value="" onSearch={() => {}} />
        </Filters>
      </ListCard>
      <Card title="Table" isFlush>
        <PagedTable
          label="Numbers"
          noun="users"
          columns={[...COLUMNS.slice(0, 1), ...NUMBERS]}
          rows={ROWS}
          rowKey={row => row.name}
          perPage={5}
        />
      </Card>
    </>
  )
}
