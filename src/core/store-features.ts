/** Features that only a file-based store supports, and the alternatives for other stores. See docs/postgres.md. */
import { ServiceError } from './errors.ts'

/** `snapshot_file`: a snapshot that is sent to the caller; `snapshots`: named snapshots that the store keeps. */
export type StoreFeature = 'snapshots' | 'snapshot_file' | 'recordings' | 'salvage' | 'checksum_rewrite'

interface Lack {
  /** Subject of the sentence "… not supported by a PostgreSQL store". */
  readonly what: string
  /** The PostgreSQL stores that lack the feature; absent if all of them lack it. */
  readonly kind?: string
  /** The alternative, as a full sentence. */
  readonly instead: string
}

const COPY = 'svc engine copy --from URL --to DIR'

const LACKS: Readonly<Record<StoreFeature, Lack>> = {
  snapshots: {
    what: 'Named snapshots are',
    instead: `Back up the database with pg_dump, or copy the store into a data folder and save a snapshot there: ${COPY}.`,
  },
  snapshot_file: {
    what: 'Exporting a snapshot is',
    kind: 'PostgreSQL store with Citus',
    instead: `Back up the machines of the cluster, or copy the store into a data folder while nothing writes to it: ${COPY}.`,
  },
  recordings: {
    what: 'Recording and replaying are',
    instead: `Copy the store into a data folder (${COPY}), or choose a new one, and record or replay there.`,
  },
  salvage: {
    what: 'Salvaging is',
    instead:
      'Restore the database from a backup or its standby; `svc engine check` shows what is damaged. To salvage a data folder, use --profile local and unset SVC_STORE.',
  },
  checksum_rewrite: {
    what: 'Adding missing checksums is',
    instead: 'Every row of such a store has one. Run the check without --rewrite.',
  },
}

/**
 * Returns the error for a store without the feature. The error's body also contains the alternative, because HTTP callers see only the
 * body.
 */
export function unsupported(feature: StoreFeature): ServiceError {
  const { what, kind = 'PostgreSQL store', instead } = LACKS[feature]
  const message = `${what} not supported by a ${kind}.`
  return new ServiceError('store_unsupported', message, {
    body: { detail: `${message} ${instead}` },
    suggestions: [instead],
  })
}
