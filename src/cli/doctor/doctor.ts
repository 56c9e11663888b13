/** Runs the checks of `svc doctor` independently, so that a failed check does not stop the others. */
import type { ServiceClient } from '../../client/client.ts'
import type { SettingFlags, Settings } from '../../profile/settings.ts'
import { openService } from '../runtime/service.ts'
import { type Finding, ok, toProblem } from './finding.ts'
import { checkDisk, checkFolder, checkMachineClock, checkNode, checkPermissions, checkProfile } from './machine.ts'
import {
  checkEngineClock,
  checkKey,
  checkReachable,
  checkSharedStore,
  checkStore,
  checkVersions,
  localServer,
} from './service.ts'

/** Time limit for a server, after which it is reported as a problem. */
const MOST_MS = 5_000

/** Returns the findings in report order. Changes nothing in the data folder. */
export async function runChecks(flags: SettingFlags): Promise<readonly Finding[]> {
  const { finding, settings } = checkProfile(flags)
  const machine = [checkNode(), finding, checkMachineClock()]
  const { value: baseUrl } = settings.baseUrl
  return [...machine, ...(baseUrl === null ? await ofFolder(settings) : await ofServer(settings, baseUrl))]
}

async function ofServer(settings: Settings, baseUrl: string): Promise<Finding[]> {
  const findings = [checkPermissions(settings.dataDir.value), await checkReachable(baseUrl)]
  if (findings.some(({ check, status }) => check === 'server' && status !== 'ok')) return findings
  const key = await withService(settings, 'API key', checkKey)
  return [...findings, key, await checkVersions(baseUrl)]
}

async function ofFolder(settings: Settings): Promise<readonly Finding[]> {
  const folder = settings.dataDir.value
  const folderFinding = checkFolder(folder)
  const findings = [folderFinding, checkDisk(folder)]
  if (folderFinding.status !== 'ok') return [...findings, await checkVersions(null)]
  const { value: url } = settings.store
  const store = url === null ? await checkStore(folder) : await checkSharedStore(url, folder)
  findings.push(checkPermissions(folder), ...store.findings)
  const server = localServer(folder)
  // the clock needs an open engine, which a folder without a store does not have, and opening a shared store could change the store
  if (store.isReady) findings.push(await withService(settings, 'engine', checkEngineClock))
  if (server !== null) findings.push(ok('server', `svc serve runs on this folder at ${server}.`))
  return [...findings, await checkVersions(server)]
}

/** Runs a check that needs the service; reports `what` as a problem if the service cannot be opened. */
async function withService(
  settings: Settings,
  what: string,
  check: (client: ServiceClient) => Promise<Finding>,
): Promise<Finding> {
  let client: ServiceClient | undefined
  try {
    client = await openService(settings, { mostMs: MOST_MS })
    return await check(client)
  } catch (error) {
    return toProblem(what, error)
  } finally {
    await client?.close()
  }
}
