/** The bundle for a worker thread of the single executable, which has already unpacked its native parts. */
import { loadBundle } from '../../../bin/load-bundle.js'
import { executable, readFile, root } from './resources.mjs'

export const bundle = loadBundle(root, ['thread'], readFile)
bundle.useInstallation(executable)
