/** An uploaded file, with its progress and then its result. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button, LinkButton } from '../../parts/button.tsx'
import { sizeText } from '../../parts/files.ts'
import { showsAll } from '../../parts/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge, Name } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { countSkipped, ReportView, tallyRows } from './report-view.tsx'
import { TABLE_FIELDS } from './table-fields.tsx'
import { UndoButton } from './undo.tsx'
import type { Upload, UploadReport, UploadState } from './uploads.ts'

interface UploadViewProps {
  readonly upload: Upload
  /** A file that was refused for the same reason and already shows the reason; null if there is none. */
  readonly sameAs: File | null
  /** Fields for a table whose columns must be mapped. */
  readonly table: ComponentChildren
  readonly onStop: () => void
  readonly onDrop: () => void
  /** Sends the file again. `isDryRun` controls whether it is only checked, and defaults to the value in the options. */
  readonly onAgain: (isDryRun?: boolean) => void
}

export function UploadView({ upload, sameAs, table, onStop, onDrop, onAgain }: UploadViewProps) {
  const { file, state, userId } = upload
  const refusal = useRefusal(state.name === 'failed')
  const isRunning = state.name === 'waiting' || state.name === 'sending'
  return (
    <Card
      title={file.name}
      actions={
        isRunning ? (
          <Button isSmall label={`Stop ${file.name}`} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button kind="quiet" isSmall label={`Dismiss ${file.name}`} onClick={onDrop}>
            Dismiss
          </Button>
        )
      }
    >
      <div role="status" class="stack">
        {state.name === 'waiting' && <p class="soft">Waiting for earlier files</p>}
        {state.name === 'sending' && <Progress share={state.share} size={file.size} />}
        {state.name === 'stopped' && (
          <div class="row">
            <Badge tone="warn">stopped</Badge>
            <span>Nothing of this file was stored.</span>
            <Button isSmall onClick={() => onAgain()}>
              Send it again
            </Button>
          </div>
        )}
      </div>
      {state.name === 'failed' && (
        <div class="import-refused stack">
          <div ref={refusal} tabIndex={-1}>
            {table && showsAll(TABLE_FIELDS, state.problem) ? (
              <p role="alert">Correct the fields that are marked.</p>
            ) : sameAs === null ? (
              <ProblemNote problem={state.problem} />
            ) : (
              <div class="note note-bad" role="alert">
                <p>
                  Refused for the same reason as <bdi>{sameAs.name}</bdi>.
                </p>
              </div>
            )}
          </div>
          {table}
          <div class="row">
            <Button isSmall onClick={() => onAgain()}>
              Try again
            </Button>
            <Button isSmall onClick={() => onAgain(true)}>
              Check without storing
            </Button>
            <span class="soft">Nothing of this file was stored. The options apply to the next attempt.</span>
          </div>
        </div>
      )}
      {state.name === 'done' && (
        <>
          <ReportView report={state.report} />
          <div class="row">
            {state.report.dry_run ? (
              <Button kind="primary" onClick={() => onAgain(false)}>
                Import it now
              </Button>
            ) : (
              <>
                <LinkButton href={`/console/data?user=${userId}`}>Show the data</LinkButton>
                {state.report.import_id !== null && (
                  <UndoButton importId={state.report.import_id} name={`the import of ${file.name}`} onUndone={onDrop} />
                )}
              </>
            )}
          </div>
        </>
      )}
    </Card>
  )
}

/** Scrolls to a refusal and moves the focus to it or to the first field to correct, unless the user is working on an earlier refusal. */
function useRefusal(isRefused: boolean): RefObject<HTMLDivElement | null> {
  const refusal = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const isElsewhere = document.activeElement?.closest('.import-refused') ?? false
    if (!isRefused || isElsewhere) return
    const field = refusal.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid]')
    const target = field ?? refusal.current
    target?.focus({ preventScroll: true })
    target?.scrollIntoView({ block: 'center' })
  }, [isRefused])
  return refusal
}

function Progress({ share, size }: { readonly share: number; readonly size: number }) {
  const percent = Math.floor(share * 100)
  return (
    <div class="import-progress">
      <progress max={1} value={share < 1 ? share : undefined} aria-label="Progress of the upload" />
      <p class="soft">
        {share < 1 ? `Sending ${sizeText(size)}: ${percent} %` : 'Sent. The server reads the file and stores its data.'}
      </p>
    </div>
  )
}

const TONES = { waiting: 'accent', sending: 'accent', done: 'good', failed: 'bad', stopped: 'warn' } as const

const COLUMNS: readonly Column<Upload>[] = [
  { title: 'File', cell: each => <Name>{each.file.name}</Name> },
  { title: 'Result', cell: ({ state }) => <Badge tone={TONES[state.name]}>{resultWord(state)}</Badge> },
  counted('Records', report => report.records),
  counted('New', report => tallyRows(report).reduce((sum, row) => sum + row.created, 0)),
  counted('Changed', report => tallyRows(report).reduce((sum, row) => sum + row.changed, 0)),
  counted('Skipped', countSkipped),
]

/** What each of several files stored, in one table. */
export function UploadSummary({ uploads }: { readonly uploads: readonly Upload[] }) {
  return (
    <Card title={`${uploads.length} files`} isFlush>
      <Table label="What each file stored" columns={COLUMNS} rows={uploads} rowKey={each => `${each.id}`} />
    </Card>
  )
}

function resultWord(state: UploadState): string {
  if (state.name === 'failed') return 'refused'
  return state.name === 'done' ? (state.report.dry_run ? 'checked' : 'stored') : state.name
}

function counted(title: string, read: (report: UploadReport) => number): Column<Upload> {
  return { title, isNumber: true, cell: ({ state }) => (state.name === 'done' ? count(read(state.report)) : '–') }
}
