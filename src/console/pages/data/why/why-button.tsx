/** A button that explains a number in a dialog. */
import { useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { type Question, WhyDialog } from './why-dialog.tsx'

export function WhyButton({ userId, question }: { readonly userId: string; readonly question: Question }) {
  const { open, dialog } = useWhy(userId)
  return (
    <>
      <Button kind="quiet" isSmall label={`Why this number? ${question.of}`} onClick={() => open([question])}>
        Why?
      </Button>
      {dialog}
    </>
  )
}

/** Returns a function that explains one of some numbers, such as those at a point of a chart, and the dialog that it shows. */
export function useWhy(userId: string) {
  const [questions, open] = useState<readonly Question[]>([])
  const dialog = questions.length > 0 && <WhyDialog {...{ userId, questions }} onClose={() => open([])} />
  return { open, dialog }
}
