/** How Ctrl-C changes a thrown error. */
import { expect, test } from 'vitest'
import {
  asCancellation,
  interruptSignal,
  listenForInterrupt,
  stopListening,
} from '../../../src/cli/runtime/interrupt.ts'

test('an error that the in-process engine throws on Ctrl-C is a cancellation, not a bug', () => {
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
