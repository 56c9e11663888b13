/** Every part of the console in every state. No menu leads here; a test compares pictures of it (docs/console-design.md). */
import { Download, Plus, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import { Problem, unreachable } from '../../api/problem.ts'
import { Button, type ButtonKind, LinkButton } from '../../parts/button.tsx'
import { Figure } from '../../parts/chart/figure.tsx'
import { ConfirmDialog, Fields, useForm } from '../../parts/form.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { Command, Copyable, Json } from '../../parts/small.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { Charts } from './charts.tsx'
import { Lists } from './lists.tsx'

const HERE = '/console/design'
const DAYS = [3, 7, 0, 12, 9].map((value, i) => ({ date: `2026-11-1${i}`, value, bad: i === 3 ? 4 : 0 }))
const TABS = ['Chosen', 'Other'].map((title, i) => ({ title, href: i === 0 ? HERE : '/console/users' }))

export default function DesignPage() {
  return (
    <Page
      title="Design"
      about="Every part of the console in every state."
      actions={
        <Button kind="primary" icon={Plus}>
          Main action
        </Button>
      }
    >
      <Tabs label="Parts of a topic" tabs={TABS} current={HERE} />
      <Card title="Text">
        <p>
          Text is regular or <strong>strong</strong>. <span class="soft">Less important text</span> is soft.
        </p>
        <h3>A heading inside a section</h3>
        <Facts
          rows={[
            ['user_id', <Copyable key="id" text="0d3f7c52-92a1" label="Copy the user_id" />],
            ['Created', <Time key="created" at="2026-11-20T12:00:00Z" />],
            ['Samples', count(1_204_311)],
          ]}
        />
        <Json label="Code" value={{ code: true }} />
        <Command words={['svc', 'user', 'list']} flags={{ '--limit': 25 }} />
      </Card>
      <Card title="Buttons">
        <Buttons isSmall={false} />
        <Buttons isSmall />
      </Card>
      <FieldStates />
      <Lists />
      <Card title="Figures">
        <div class="figures">
          <Figure title="Users" href="/console/users" n={1_204} label="New users" days={DAYS} />
          <Figure title="Nothing yet" n="–" label="Attempts" days={DAYS.map(day => ({ ...day, value: 0, bad: 0 }))} />
        </div>
      </Card>
      <Card title="Messages">
        <div class="note">A note that informs.</div>
        <div class="note note-warn">A note that warns.</div>
        <ProblemNote problem={unreachable()} onRetry={() => {}} />
        <Empty title="No users yet" action={<Button>Create user</Button>}>
          An empty list says how to get the first item.
        </Empty>
      </Card>
      <Moments />
      <Charts />
    </Page>
  )
}

const KINDS: readonly ButtonKind[] = ['primary', 'plain', 'danger', 'quiet']

function Buttons({ isSmall }: { readonly isSmall: boolean }) {
  return (
    <div class="row">
      {KINDS.map(kind => (
        <Button key={kind} kind={kind} isSmall={isSmall}>
          {kind}
        </Button>
      ))}
      <Button isSmall={isSmall} icon={Download}>
        with an icon
      </Button>
      <Button isSmall={isSmall} kind="quiet" icon={Trash2} label="only an icon" />
      <Button isSmall={isSmall} disabled>
        disabled
      </Button>
      <LinkButton isSmall={isSmall} href="/console/users">
        link
      </LinkButton>
    </div>
  )
}

const REFUSED = new Problem(422, '', '', [{ field: 'url', message: 'The URL must start with https.' }])

function FieldStates() {
  const form = useForm({ zone: 'Berlin', name: 'ada', url: 'http://', note: '', is_live: true }, async () => {})
  return (
    <Card title="Fields">
      <Fields
        of={{ ...form, problem: REFUSED }}
        fields={[
          {
            legend: 'A group of fields',
            fields: [
              { name: 'zone', label: 'Menu', options: ['Berlin', 'Tokyo'] },
              { name: 'name', label: 'Name', hint: 'A hint says what is allowed.' },
              { name: 'url', label: 'URL', type: 'url' },
              { name: 'note', label: 'Note', lines: 2, isCode: true, placeholder: '{"data": 1}' },
              { name: 'is_live', label: 'Live', type: 'check', hint: 'A checkbox has its label beside it.' },
            ],
          },
        ]}
      />
    </Card>
  )
}

/** Parts that are shown only for a while. */
function Moments() {
  const toast = useToast()
  const [shown, setShown] = useState<'dialog' | 'skeleton' | null>(null)
  const close = (): void => setShown(null)
  return (
    <Card title="On demand">
      <div class="row">
        <Button onClick={() => setShown('dialog')}>Open a dialog</Button>
        <Button onClick={() => toast({ text: 'The user was deleted.', undo: () => {} })}>Show a toast</Button>
        <Button onClick={() => setShown('skeleton')}>Load</Button>
      </div>
      {shown === 'skeleton' && <Skeleton />}
      {shown === 'dialog' && (
        <ConfirmDialog title="Delete the endpoint?" submit="Delete" onClose={close} act={async () => close()}>
          <p>The record of its deliveries is also deleted. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
