/** Records which read-only steps of `svc init` are done. For the other steps, the service itself contains the results. */
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { renameSynced, writePrivate } from '../../core/synced-file.ts'
import { makeConfigFolder } from '../../profile/config-folder.ts'
import { configFolder } from '../../profile/folders.ts'

/** Returns the completed steps for a user of a service. `location` is the data folder or base URL. */
export function stepsDone(location: string, user: string): readonly string[] {
  const found = all()[progressKey(location, user)]
  return Array.isArray(found) ? found.filter(step => typeof step === 'string') : []
}

/** Records a completed step. If the folder is not writable, the step is only shown again next time. */
export function recordStep(location: string, user: string, step: string): void {
  const folder = configFolder()
  const steps = [...new Set([...stepsDone(location, user), step])]
  const draft = `${fileIn(folder)}.${process.pid}.tmp`
  try {
    makeConfigFolder(folder)
    writePrivate(draft, `${JSON.stringify({ ...all(), [progressKey(location, user)]: steps })}\n`)
    renameSynced(draft, fileIn(folder))
  } catch {
    rmSync(draft, { force: true })
  }
}

function progressKey(location: string, user: string): string {
  return `${location} ${user}`
}

function fileIn(folder: string): string {
  return path.join(folder, 'init.json')
}

/** Returns all records. If the file is missing or damaged, the steps are only shown again. */
function all(): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = JSON.parse(readFileSync(fileIn(configFolder()), 'utf8'))
    return typeof document === 'object' && document !== null ? { ...document } : {}
  } catch {
    return {}
  }
}
