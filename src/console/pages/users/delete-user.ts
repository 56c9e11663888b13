/** Deletes a user, and offers to undo the deletion. */
import { call, type ResponseOf } from '../../api/call.ts'
import type { Change } from '../../parts/list/row-actions.tsx'

export const DELETE_USER: Change<ResponseOf<'user.get'>> = {
  title: 'Delete',
  needs: 'user.delete',
  done: 'deleted',
  act: ({ user_id }) => call('user.delete', { params: { user_id } }),
  undo: ({ user_id }) => call('user.undo_delete', { body: { user_id } }),
  confirm: 'Their data is deleted, too. You can undo the deletion for 7 days.',
  isDanger: true,
  isForMany: true,
}
