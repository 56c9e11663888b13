/** What Ctrl-C makes of what was thrown. */
import { expect, test } from 'vitest'
import {
  asCancellation,
  interruptSignal,
  listenForInterrupt,
  stopListening,
} from '../../../src/cli/runtime/interrupt.ts'

test('what the engine of this process throws at Ctrl-C is a cancellation and no bug', () => {
  const signal = interruptSignal()
  const foreign = AbortSignal.abort().reason
  expect(asCancellation(foreign)).toBe(foreign)
  listenForInterrupt()
  process.emit('SIGINT')
  stopListening()
  expect(() => signal.throwIfAborted()).toThrow()
  expect(asCancellation(signal.reason)).toMatchObject({ code: 'cancelled', exitCode: 130 })
  expect(asCancellation(foreign)).toBe(foreign)
})
