/** Steps of the conversation: a recording from start to end, and a replay into a store that already has data. */
import { inBytes, type Memory, NOBODY, text, topic } from '../conversation.ts'

const { steps, step } = topic()
/** They come first: a server also records the jobs that it runs by itself, and at the start nothing is due. */
export const recordingSteps = steps
const later = topic()
export const replaySteps = later.steps

const recording = (memory: Memory) => ({
  params: { recording_id: text(memory, 'the current recording', 'recording_id') },
})

step('recording state when nothing records', 'recording.get', {})
step('start a recording', 'recording.start', {})
step('start a second recording', 'recording.start', {})
step('the current recording', 'recording.get', {})
step('read the recording', 'recording.read', memory => ({ ...recording(memory), body: { after: 0 } }))
step('read without a position', 'recording.read', memory => ({ ...recording(memory), body: {} }))
step('read an unknown recording', 'recording.read', {
  params: { recording_id: NOBODY },
  body: { after: 0 },
})
step('end the recording', 'recording.stop', memory => ({ ...recording(memory), body: { read: 0 } }))
step('end it again', 'recording.stop', memory => ({ ...recording(memory), body: { read: 0 } }))
later.step('replay into a store with data', 'recording.replay', () => ({ body: inBytes('{}') }))
