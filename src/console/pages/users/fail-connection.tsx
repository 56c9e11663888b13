/** The dialog that makes a connection fail, for testing an application. */
import { withoutEmpty } from '../../api/body.ts'
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { toOptions, useChoices } from '../../api/choices.ts'
import { type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { Command } from '../../parts/small.tsx'

type Connection = ResponseOf<'user.providers'>['providers'][number]
type ErrorType = NonNullable<Input<'provider.fail'>['body']>['error_type']

interface FailConnectionProps extends DialogProps {
  readonly userId: string
  readonly connection: Connection
}

export function FailConnection({ userId, connection: { name, slug }, onClose, onDone }: FailConnectionProps) {
  const types = useChoices('provider.fail')('error_type')
  const form = useForm({ error_type: '', error_message: '' }, async ({ error_message }) => {
    const body = { error_type: type as ErrorType, ...withoutEmpty({ error_message }) } // the options are values from the server
    await call('provider.fail', { params: { user_id: userId, provider: slug }, body })
    onDone()
  })
  const type = form.values.error_type || types[0] || ''
  return (
    <FormDialog
      title={`Fail ${name}`}
      submit="Fail the connection"
      isReady={type !== ''}
      onClose={onClose}
      form={{ ...form, values: { ...form.values, error_type: type } }}
      fields={[
        { name: 'error_type', label: 'Error type', options: toOptions(types) },
        {
          name: 'error_message',
          label: 'Message',
          hint: 'Optional. By default, a message that fits the error type.',
        },
      ]}
      foot={<Command words={['svc', 'provider', 'fail', userId, slug]} flags={{ '--error-type': type }} />}
    >
      <p>
        The connection changes to the error state, as if the provider had refused it, and your endpoints receive the
        event. To repair it, link the provider again.
      </p>
    </FormDialog>
  )
}
