/** Preloaded into the server: measures how long its event loop is blocked, and reports it to the benchmark over IPC. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Sampling interval; each figure of the histogram includes it. */
const LOOK_MS = 10

if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS })
  delay.enable()
  process.on('message', asked => {
    if (asked !== 'loop-delay') return
    const longestMs = Math.max(0, delay.max / 1e6 - LOOK_MS)
    delay.reset()
    process.send({ longestMs })
  })
  // the channel must not keep the process alive, and the benchmark may be gone
  process.channel.unref()
  process.on('disconnect', () => delay.disable())
}
