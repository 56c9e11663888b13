/** Accepts files that are dropped or chosen with the button. */
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'

interface DropZoneProps {
  /** Whether a user has been chosen for the files. */
  readonly isReady: boolean
  readonly onFiles: (files: readonly File[]) => void
}

export function DropZone({ isReady, onFiles }: DropZoneProps) {
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
