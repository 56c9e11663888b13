/** Operations: save, list, restore and delete snapshots of the whole store, and empty the store. */

import { operation } from '../kernel/operation.ts'
import { nothing } from '../kernel/primitives.ts'
import * as engine from './engine.ts'
import * as snapshot from './snapshot.ts'

const common = { reach: 'service', tag: 'Engine' } as const

export const snapshotOperations = {
  'engine.snapshot': operation({
    route: 'GET /svc/v1/snapshot',
    managesAccess: true,
    ...common,
    needs: 'snapshot_file',
    summary: 'Copy the store while it is in use',
    reply: engine.snapshot,
    repliesBytes: engine.SNAPSHOT_MEDIA_TYPE,
    takesLong: 'changes',
  }),
  'snapshot.save': operation({
    route: 'POST /svc/v1/snapshots',
    ...common,
    needs: 'snapshots',
    summary: 'Save a snapshot of the store under a name',
    body: snapshot.newSnapshot,
    reply: snapshot.snapshotView,
    errors: [409],
    takesLong: 'changes',
  }),
  'snapshot.list': operation({
    route: 'GET /svc/v1/snapshots',
    ...common,
    needs: 'snapshots',
    summary: 'List snapshots by name',
    reply: snapshot.snapshotList,
  }),
  'snapshot.restore': operation({
    route: 'POST /svc/v1/snapshots/{name}/restore',
    managesAccess: true,
    replacesStore: true,
    ...common,
    needs: 'snapshots',
    summary: 'Restore a snapshot and replace everything in the store',
    params: snapshot.snapshotParams,
    reply: snapshot.restored,
    errors: [404, 409],
    takesLong: 'changes',
  }),
  'snapshot.delete': operation({
    route: 'DELETE /svc/v1/snapshots/{name}',
    ...common,
    needs: 'snapshots',
    summary: 'Delete a snapshot',
    params: snapshot.snapshotParams,
    reply: nothing,
    repliesNothing: true,
    errors: [404],
    idempotent: true,
  }),
  'engine.reset': operation({
    route: 'POST /svc/v1/reset',
    replacesStore: true,
    ...common,
    summary: 'Empty the store; teams, keys and the audit trail stay',
    body: snapshot.resetRequest,
    reply: snapshot.emptied,
  }),
} as const
