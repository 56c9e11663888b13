/** Deletes a user immediately, and offers to undo the deletion. */
import { call, type ResponseOf } from '../../api/call.ts'
import { type Action, useAction } from '../../api/use-call.ts'
import { useToast } from '../../parts/toasts.tsx'

type User = ResponseOf<'user.get'>

/** Maximum length of a name that fits into a message on a phone. */
const MOST_SHOWN = 40

const short = (name: string): string => (name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name)

/** Returns the action that deletes a user. `onChange` runs after the deletion, and again if it is undone. */
export function useDeleteUser(onChange: (isDeleted: boolean) => void): Action<[User]> {
  const toast = useToast()
  return useAction(async (user: User) => {
    await call('user.delete', { params: { user_id: user.user_id } })
    onChange(true)
    toast({
      text: `Deleted ${short(user.client_user_id)}`,
      undo: () => {
        call('user.undo_delete', { body: { user_id: user.user_id } }).then(
          () => onChange(false),
          (error: unknown) => toast({ text: error instanceof Error ? error.message : String(error) }),
        )
      },
    })
  })
}
