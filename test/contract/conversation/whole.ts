/** The whole conversation, topic by topic. The order matters, because later topics use data that earlier ones created. */
import type { Step } from '../conversation.ts'
import { aggregateSteps } from './aggregates.ts'
import { dataSteps } from './data.ts'
import { engineSteps } from './engine.ts'
import { eventSteps } from './events.ts'
import { labSteps } from './labs.ts'
import { linkSteps } from './links.ts'
import { orderSteps } from './orders.ts'
import { providerSteps } from './providers.ts'
import { readingSteps } from './readings.ts'
import { recordingSteps, replaySteps } from './recordings.ts'
import { teamSteps } from './teams.ts'
import { trialSteps } from './trials.ts'
import { userLifeSteps } from './user-life.ts'
import { lastUserSteps, userSteps } from './users.ts'
import { webhookSteps } from './webhooks.ts'

export const wholeConversation: readonly Step[] = [
  ...recordingSteps,
  ...userSteps,
  ...linkSteps,
  ...providerSteps,
  ...readingSteps,
  ...aggregateSteps,
  ...labSteps,
  ...orderSteps,
  ...dataSteps,
  ...userLifeSteps,
  ...teamSteps,
  ...eventSteps,
  ...webhookSteps,
  ...trialSteps,
  ...engineSteps,
  ...replaySteps,
  ...lastUserSteps,
]
