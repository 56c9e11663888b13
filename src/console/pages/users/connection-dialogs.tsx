/** The dialogs that fail a connection, and that end it. */

import { useState } from 'preact/hooks'
import { words } from '../../../catalogue/wording.ts'
import { type Answer, call, type Input } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { useAction } from '../../api/use-call.ts'
import { problemWith, SelectField, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Command } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'

type Connection = Answer<'user.providers'>['providers'][number]
type ErrorType = NonNullable<Input<'provider.fail'>['body']>['error_type']

interface Props {
  readonly userId: string
  readonly connection: Connection
  readonly onClose: () => void
  readonly onDone: () => void
}

export function FailConnection({ userId, connection, onClose, onDone }: Props) {
  const types = useChoices('provider.fail', 'error_type')
  const [chosen, setChosen] = useState('')
  const [message, setMessage] = useState('')
  const type = chosen || types[0] || ''
  const fail = useAction(async () => {
    await call('provider.fail', {
      params: { user_id: userId, provider: connection.slug },
      // the server offers these values
      body: { error_type: type as ErrorType, ...(message === '' ? {} : { error_message: message }) },
    })
    onDone()
  })
  return (
    <FormDialog
      title={`Fail ${connection.name}`}
      onClose={onClose}
      action={fail}
      submit="Fail the connection"
      isReady={type !== ''}
    >
      <p>
        The connection changes to state error, as if the provider had refused it, and your endpoints receive the event.
        To repair it, link the provider again.
      </p>
      <SelectField
        label="Error type"
        value={type}
        onChange={setChosen}
        options={types.map(value => ({ value, label: words(value) }))}
        problem={problemWith(fail.problem, 'error_type')}
      />
      <TextField
        label="Message"
        value={message}
        onInput={setMessage}
        hint="Optional. By default, a message that fits the error type."
        problem={problemWith(fail.problem, 'error_message')}
      />
      {fail.problem?.fields.length === 0 && <ProblemNote problem={fail.problem} />}
      <Command words={['svc', 'provider', 'fail', userId, connection.slug, '--error-type', type]} />
    </FormDialog>
  )
}

export function Disconnect({ userId, connection, onClose, onDone }: Props) {
  const disconnect = useAction(async () => {
    await call('user.disconnect', { params: { user_id: userId, provider: connection.slug } })
    onDone()
  })
  return (
    <FormDialog
      title={`Disconnect ${connection.name}`}
      onClose={onClose}
      action={disconnect}
      submit="Disconnect"
      kind="danger"
    >
      <p>
        The data stays, but no new data arrives. This cannot be undone: to connect the provider again, the user has to
        link it again.
      </p>
      <ProblemNote problem={disconnect.problem} />
      <Command words={['svc', 'provider', 'disconnect', userId, connection.slug]} />
    </FormDialog>
  )
}
