/** The conversation about the engine: who is calling, the clock, figures, checks, and what falls due. */
import { topic } from '../conversation.ts'

const { steps, step } = topic()
export const engineSteps = steps

step('who is calling', 'team.whoami', {})
step('the clock', 'clock.get', {})
step('the figures of the store', 'engine.status', {})
step('check it', 'engine.check', {})
step('run what is due: nothing', 'engine.run_due', {})
step('a snapshot of the store', 'engine.snapshot', {})
