/** Steps of the conversation: a recording from start to end, and a replay into a store that already has data. */
import { inBytes, type Memory, NOBODY, text, topic } from '../conversation.ts'

const { steps, step } = topic()
export const recordingSteps = steps

const recording = (memory: Memory) => ({
  params: { recording_id: text(memory, 'what records now', 'recording_id') },
})

step('nothing records', 'recording.get', {})
step('begin to record', 'recording.start', {})
step('begin to record twice', 'recording.start', {})
step('what records now', 'recording.get', {})
step('read what was recorded', 'recording.read', memory => ({ ...recording(memory), body: { after: 0 } }))
step('read without a place', 'recording.read', memory => ({ ...recording(memory), body: {} }))
step('read a recording that there is not', 'recording.read', {
  params: { recording_id: NOBODY },
  body: { after: 0 },
})
step('end the recording', 'recording.stop', memory => ({ ...recording(memory), body: { read: 0 } }))
step('end it again', 'recording.stop', memory => ({ ...recording(memory), body: { read: 0 } }))
step('replay where there is something', 'recording.replay', () => ({ body: inBytes('{}') }))
