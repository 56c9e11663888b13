/** The response to `svc --version --json`. */
import { newestSchemas } from '../../engine/folder.ts'

/** Replaced by the build. Absent if svc runs from source. */
declare const SVC_COMMIT: string | null

interface Program {
  readonly name: string
  readonly version: string
}

/** Returns the versions of the program and of everything that decides whether it can open a store. */
export async function versionDocument({ name, version }: Program) {
  return {
    name,
    version,
    /** The commit that the program was built from; ends in `-dirty` if files had been changed; null if it is unknown. */
    commit: typeof SVC_COMMIT === 'undefined' ? null : SVC_COMMIT,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    schemas: await newestSchemas(),
  }
}
