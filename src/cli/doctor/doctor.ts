/** Runs the checks of `svc doctor`, each by itself: one that fails does not keep the others from running. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ServiceClient } from '../../client/client.ts'
import type { SettingFlags, Settings } from '../../profile/settings.ts'
import { type Finding, ok, problemOf } from './finding.ts'
import { checkDisk, checkFolder, checkMachineClock, checkNode, checkPermissions, checkProfile } from './machine.ts'
import { checkEngineClock, checkKey, checkReachable, checkStore, checkVersions, localServer } from './service.ts'

/** A server that has not answered by then is reported. */
const MOST_MS = 5_000

/** Returns the findings in the order of the report. Changes nothing in the data folder. */
export async function examine(flags: SettingFlags): Promise<readonly Finding[]> {
  const { finding, settings } = checkProfile(flags)
  const machine = [checkNode(), finding, checkMachineClock()]
  const { value: baseUrl } = settings.baseUrl
  return [...machine, ...(baseUrl === null ? await ofFolder(settings) : await ofServer(settings, baseUrl))]
}

async function ofServer({ apiKey, headerPrefix, timeoutMs, dataDir }: Settings, baseUrl: string): Promise<Finding[]> {
  const findings = [checkPermissions(dataDir.value), await checkReachable(baseUrl)]
  if (findings.some(({ check, status }) => check === 'server' && status !== 'ok')) return findings
  const { openHttp } = await import('../../client/http.ts')
  let client: ServiceClient | undefined
  try {
    client = openHttp({
      baseUrl,
      apiKey: apiKey.value,
      timeoutMs: Math.min(timeoutMs.value, MOST_MS),
      retries: 0,
      ...(headerPrefix.value === null ? {} : { headerPrefix: headerPrefix.value }),
    })
    findings.push(await checkKey(client))
  } catch (error) {
    findings.push(problemOf('API key', error))
  } finally {
    await client?.close()
  }
  return [...findings, await checkVersions(baseUrl)]
}

async function ofFolder({ dataDir, apiKey, publicUrl }: Settings): Promise<readonly Finding[]> {
  const folder = dataDir.value
  const place = checkFolder(folder)
  const findings = [place, checkDisk(folder)]
  if (place.status !== 'ok') return [...findings, await checkVersions(null)]
  const store = await checkStore(folder)
  findings.push(checkPermissions(folder), store)
  const url = localServer(folder)
  if (store.status === 'ok') findings.push(...(await ofEngine(folder, apiKey.value, publicUrl.value)))
  if (url !== null) findings.push(ok('server', `svc serve runs on this folder at ${url}.`))
  return [...findings, await checkVersions(url)]
}

/** What only an open engine tells. Nothing for a folder without a store. */
async function ofEngine(dataDir: string, apiKey: string | null, publicUrl: string | null): Promise<readonly Finding[]> {
  if (!existsSync(path.join(dataDir, 'svc.db'))) return []
  const { openEmbedded } = await import('../../client/embedded.ts')
  let client: ServiceClient | undefined
  try {
    client = await openEmbedded({ dataDir, apiKey, publicUrl, isOnlyLooking: true })
    return [await checkEngineClock(client)]
  } catch (error) {
    return [problemOf('engine', error)]
  } finally {
    await client?.close()
  }
}
