/** A button that explains a number in a dialog. */
import { useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { type Question, WhyDialog } from './why-dialog.tsx'

interface WhyButtonProps extends Question {
  readonly userId: string
  /** Names the number for screen readers, such as "Steps". */
  readonly of: string
}

export function WhyButton({ of, ...question }: WhyButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" isSmall label={`Why this number? ${of}`} onClick={() => setOpen(true)}>
        Why?
      </Button>
      {isOpen && <WhyDialog {...question} onClose={() => setOpen(false)} />}
    </>
  )
}
