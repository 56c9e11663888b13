/** The two ways to run a conversation with the service, each on its own data folder with the same clock and randomness. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceClient } from '../../../src/client/client.ts'
import { openEmbedded } from '../../../src/client/embedded.ts'
import { type RandomSource, seededRandom } from '../../../src/core/random.ts'
import { type RunningServer, startServer } from '../../../src/server/start.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { builtConsole } from '../../server/console/console-server.ts'
import { NOW } from '../conversation.ts'

const PUBLIC_URL = 'https://health.example'

const APPLE = `<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_GB"><ExportDate value="2026-11-20 10:00:00 +0000"/>
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" startDate="2026-11-19 10:00:00 +0100" endDate="2026-11-19 10:05:00 +0100" value="12"/>
 <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="W" unit="kg" startDate="2026-11-19 10:00:00 +0100" endDate="2026-11-19 10:00:00 +0100" value="70.5"/>
 <Record type="HKQuantityTypeIdentifierUnheardOf" sourceName="W" unit="x" startDate="2026-11-19 10:00:00 +0100" endDate="2026-11-19 10:00:00 +0100" value="1"/>
</HealthData>`

/**
 * Randomness that restarts with every step. If one way draws a number that the other does not (for example, for an audit entry about an
 * unknown caller), later steps are not affected.
 */
class ChanceByStep implements RandomSource {
  private source = seededRandom('before')

  begin(step: string): void {
    this.source = seededRandom(step)
  }

  bytes(count: number): Uint8Array {
    return this.source.bytes(count)
  }
}

/** A folder for temporary files, including the files of a conversation. */
export interface Ground {
  readonly folder: string
  readonly files: Readonly<Record<string, string>>
  /** The randomness of the engines of this environment. */
  readonly chance: ChanceByStep
}

export async function prepareGround(): Promise<Ground> {
  const folder = temporaryFolder()
  const exported = join(folder, 'export.xml')
  await writeFile(exported, APPLE)
  const recording = join(folder, 'recording.ndjson')
  await writeFile(recording, await recordingOfNothing(join(folder, 'recorded')))
  // cursors and links are signed with it
  process.env['SVC_MASTER_KEY'] = '11'.repeat(32)
  atEndOfFile(() => delete process.env['SVC_MASTER_KEY'])
  return {
    folder,
    files: { export: exported, recording },
    chance: new ChanceByStep(),
  }
}

const engine = ({ chance }: Ground) => ({
  time: { now: () => NOW },
  random: chance,
  seed: 'both ways',
  pageSize: 500,
})

/** Returns the path of a recording that was ended at once. */
async function recordingOfNothing(dataDir: string): Promise<string> {
  const random = seededRandom('recorded')
  const client = await openEmbedded({ dataDir, publicUrl: null, engine: { time: { now: () => NOW }, random } })
  const reply = await client.call('recording.start', {})
  const pieces: Uint8Array[] = []
  if (reply.kind === 'bytes') for await (const piece of reply.bytes as AsyncIterable<Uint8Array>) pieces.push(piece)
  await client.close()
  return `${Buffer.concat(pieces).toString('utf8')}${JSON.stringify({ end: { at: '2026-11-20T08:30:00Z', entries: 0 } })}\n`
}

/** Opens the service inside this process. */
export function near(ground: Ground): Promise<ServiceClient> {
  ground.chance.begin('before')
  const consoleUrl = () => `${PUBLIC_URL}/console`
  return openEmbedded({
    dataDir: join(ground.folder, 'near'),
    publicUrl: PUBLIC_URL,
    engine: { ...engine(ground), consoleUrl },
  })
}

/** Starts the service behind HTTP. */
export function far(ground: Ground, name = 'far'): Promise<RunningServer> {
  ground.chance.begin('before')
  return startServer({
    dataDir: join(ground.folder, name),
    host: '127.0.0.1',
    port: 0,
    acceptHeaderPrefixes: [],
    apiKey: null,
    publicUrl: PUBLIC_URL,
    insecureHttp: false,
    consoleFolder: builtConsole(),
    // a test sends more requests than a client should
    rateLimit: 0,
    // embedded, there are no automatic deliveries either
    delivers: false,
    log: () => {},
    engine: engine(ground),
  })
}
