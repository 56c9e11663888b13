/** Page that imports providers' export files, shows which records were stored or skipped, and undoes imports. */
import { useRef, useState } from 'preact/hooks'
import { useChosenUser } from '../../api/chosen-user.ts'
import { mayUse } from '../../api/session.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Command } from '../../parts/small.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { ImportList } from './import-list.tsx'
import { Options, TableFields } from './table-fields.tsx'
import { UploadSummary, UploadView } from './upload-view.tsx'
import { importCommand, NO_SETTINGS, needsFields, type Upload, useUploads } from './uploads.ts'

export default function ImportPage() {
  const { change } = useUrlState()
  const userInUrl = useChosenUser()
  const user = useLoad('user.get', userInUrl === null ? null : { params: { user_id: userInUrl } })
  // an unknown ID does not select a user, so the field shows an error and files cannot be dropped
  const userId = user.problem?.isMissing ? null : userInUrl
  const [settings, setSettings] = useState(NO_SETTINGS)
  const [version, setVersion] = useState(0)
  const { uploads, add, again, stop, drop } = useUploads(() => setVersion(before => before + 1))
  // the fields appear once, next to the first file that needs them
  const mapped = uploads.findLast(needsFields)
  return (
    <Page
      title="Import"
      about="Read an export from a provider, a device or an application, and store it as if the provider had sent it."
    >
      {mayUse('import.create') && (
        <Card title="Files">
          <div class="import-user">
            <UserPicker userId={userInUrl} onPick={user => change({ user: user.user_id, cursor: null }, true)} />
          </div>
          <DropZone isReady={userId !== null} onFiles={files => userId !== null && add(userId, files, settings)} />
          <Options hasTable={mapped === undefined} settings={settings} onChange={setSettings} />
          {userId !== null && <Command {...importCommand(userId, settings)} />}
        </Card>
      )}
      {uploads.length > 1 && <UploadSummary uploads={uploads} />}
      {uploads.map(each => (
        <UploadView
          key={each.id}
          upload={each}
          sameAs={refusedLike(each, uploads)}
          table={each === mapped && <TableFields settings={settings} onChange={setSettings} upload={each} />}
          onStop={() => stop(each.id)}
          onDrop={() => drop(each.id)}
          onAgain={isDryRun => again(each.id, { ...settings, isDryRun: isDryRun ?? settings.isDryRun })}
        />
      ))}
      <ImportList userId={userId} name={user.data?.client_user_id} version={version} />
    </Page>
  )
}

/** Returns the first file that was refused for the same reason, unless it is this file. The page shows each reason only once. */
function refusedLike({ id, state }: Upload, uploads: readonly Upload[]): File | null {
  if (state.name !== 'failed') return null
  const { message } = state.problem
  const first = uploads.findLast(each => each.state.name === 'failed' && each.state.problem.message === message)
  return first === undefined || first.id === id ? null : first.file
}

interface DropZoneProps {
  /** Whether a user has been chosen for the files. */
  readonly isReady: boolean
  readonly onFiles: (files: readonly File[]) => void
}

/** Accepts files that are dropped or chosen with the button. */
function DropZone({ isReady, onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  return (
    // the button does the same for people who do not drag
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a mouse, and the button is the alternative
    <div
      class={isOver && isReady ? 'import-drop import-drop-over' : 'import-drop'}
      onDragOver={event => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={event => {
        event.preventDefault()
        setIsOver(false)
        if (isReady) onFiles([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <p>
        <strong>{isReady ? 'Drop files here' : 'Choose a user first'}</strong>
      </p>
      <p class="soft">
        Apple Health, Health Connect, Gadgetbridge, archives from Google Takeout, Garmin Connect, Samsung Health, WHOOP,
        Strava, Oura, Withings and Polar Flow, FIT, TCX, GPX, Dexcom Clarity, LibreView, FHIR, Open mHealth, Health Auto
        Export, CSV, NDJSON and exports of svc. The content of a file decides its format.
      </p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to import"
        onChange={event => {
          onFiles([...(event.currentTarget.files ?? [])])
          // cleared, so that the same file can be chosen again
          event.currentTarget.value = ''
        }}
      />
      <Button kind="primary" disabled={!isReady} onClick={() => input.current?.click()}>
        Choose files
      </Button>
    </div>
  )
}
