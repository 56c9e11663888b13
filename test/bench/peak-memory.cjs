/** Required into a process that is measured: writes its greatest memory, in bytes, to the file SVC_BENCH_PEAK when it ends. */
const { writeFileSync } = require('node:fs')

process.on('exit', () => writeFileSync(process.env.SVC_BENCH_PEAK, String(process.resourceUsage().maxRSS * 1024)))
