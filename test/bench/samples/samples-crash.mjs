/** Checks that acknowledged samples are never lost: with kill -9 during a write loop, and with two processes writing the same chunks. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundle.mjs'
import { freshFolder, HEART, openStore, START, USER } from './samples-store.mjs'

const SAMPLES = 20

/** Starts a write loop. `acknowledged` grows as it writes. */
function writeLoop(engine, folder, first, step, most) {
  const script = join(root, 'test', 'bench', 'write-loop.mjs')
  const child = spawn(process.execPath, [script, engine.path, folder, `${first}`, `${step}`, `${most}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const acknowledged = []
  let rest = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) acknowledged.push(Number(line))
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const ended = new Promise(resolve => child.on('close', (code, signal) => resolve({ code, signal, errors })))
  return { child, acknowledged, ended }
}

async function untilWritten(loop, count) {
  while (loop.acknowledged.length < count) {
    const done = await Promise.race([loop.ended, new Promise(resolve => setTimeout(resolve, 5))])
    if (done) throw new Error(`the writer ended by itself: ${JSON.stringify(done)}`)
  }
}

/** Returns the acknowledged writes that are not completely stored, and the problems that `check` finds. */
export async function verify(engine, folder, acknowledged) {
  const store = await openStore(engine, folder)
  const found = new Map()
  const range = { resource: HEART.resource, provider: null, from: START, to: START + 4e11 }
  for await (const { columns } of store.samples.scan(USER, range)) {
    for (let i = 0; i < columns.n; i++) {
      const number = Math.floor((columns.start[i] - START) / 1000 / SAMPLES)
      if (columns.value[i] === number % 200) found.set(number, (found.get(number) ?? 0) + 1)
    }
  }
  const problems = []
  for await (const problem of store.upkeep.check()) problems.push(problem)
  await store.close()
  return { lost: acknowledged.filter(number => found.get(number) !== SAMPLES), problems }
}

/**
 * Kills a writer `kills` times. Returns the number of acknowledged writes, the number of lost ones, and the problems that `check` found.
 */
export async function killed(engine, kills) {
  const folder = freshFolder()
  const acknowledged = []
  for (let kill = 0; kill < kills; kill++) {
    const loop = writeLoop(engine, folder, acknowledged.length === 0 ? 0 : Math.max(...acknowledged) + 1, 1, 0)
    await untilWritten(loop, 5 + ((kill * 7) % 23))
    loop.child.kill('SIGKILL')
    await loop.ended
    acknowledged.push(...loop.acknowledged)
  }
  const outcome = await verify(engine, folder, acknowledged)
  rmSync(folder, { recursive: true })
  return { acknowledged: acknowledged.length, ...outcome }
}

/** Runs two writers on the same chunks: one writes the even numbers, the other the odd ones. */
export async function shared(engine, writes) {
  const folder = freshFolder()
  await (await openStore(engine, folder)).close()
  const loops = [0, 1].map(first => writeLoop(engine, folder, first, 2, writes))
  const ends = await Promise.all(loops.map(loop => loop.ended))
  const acknowledged = loops.flatMap(loop => loop.acknowledged)
  const outcome = await verify(engine, folder, acknowledged)
  rmSync(folder, { recursive: true })
  return { failures: ends.filter(end => end.code !== 0), acknowledged: acknowledged.length, ...outcome }
}

export async function benchCrashes(engine, figures, { kills }) {
  const { acknowledged, lost, problems } = await killed(engine, kills)
  const isWhole = lost.length === 0 && problems.length === 0
  figures.add(
    `kill -9 in a write loop, ${kills} times: of ${acknowledged * SAMPLES} acknowledged samples lost`,
    `${lost.length * SAMPLES}`,
    '0',
    isWhole,
  )
  figures.add('  problems that check finds afterwards', `${problems.length}`, '0', problems.length === 0)
}

export async function benchShared(engine, figures) {
  const { failures, acknowledged, lost, problems } = await shared(engine, 400)
  figures.add(
    `two processes writing the same chunks, ${acknowledged} writes: errors, lost, problems`,
    `${failures.length}, ${lost.length}, ${problems.length}`,
    '0, 0, 0',
    failures.length + lost.length + problems.length === 0 && acknowledged === 800,
  )
}
