/** The parts of the port that are the same over every database. */
import type { Store } from '../port.ts'
import { StoredConsole } from './console/sessions.ts'
import { StoredContinuousQueries } from './continuous/store.ts'
import type { Database } from './database.ts'
import { StoredDeliveries } from './deliveries/deliveries.ts'
import { StoredEvents } from './events/events.ts'
import { StoredFaults } from './faults.ts'
import { StoredImports } from './imports/stored-imports.ts'
import { StoredJobs } from './jobs.ts'
import { StoredLinks } from './links/links.ts'
import { liveStoreOver } from './live/store.ts'
import { StoredOrders } from './orders/orders.ts'
import { StoredSamples, StoredStreams, StoredSummaries } from './samples/stored-samples.ts'
import { StoredAnswers } from './teams/answers.ts'
import { StoredAudit } from './teams/audit.ts'
import { StoredClock } from './teams/clock.ts'
import { StoredPriorities } from './teams/priorities.ts'
import { StoredTeams } from './teams/teams.ts'
import { StoredDevices } from './users/devices.ts'
import { StoredPeople } from './users/people.ts'
import { StoredProfiles } from './users/profiles.ts'
import { StoredPulls } from './users/pulls.ts'
import { StoredConnections } from './users/stored-connections.ts'
import { StoredUsers } from './users/stored-users.ts'
import { StoredWebhooks } from './webhooks/webhooks.ts'

/** What a database brings itself: its files, its copies, and its own life. */
type OwnParts =
  | 'close'
  | 'data'
  | 'lacks'
  | 'recordings'
  | 'snapshots'
  | 'upkeep'
  | 'auditing'
  | 'answering'
  | 'recording'

export function partsOver(db: Database): Omit<Store, OwnParts> {
  return {
    answers: new StoredAnswers(db),
    audit: new StoredAudit(db),
    clock: new StoredClock(db),
    connections: new StoredConnections(db),
    console: new StoredConsole(db),
    continuous: new StoredContinuousQueries(db),
    deliveries: new StoredDeliveries(db),
    devices: new StoredDevices(db),
    events: new StoredEvents(db),
    faults: new StoredFaults(db),
    imports: new StoredImports(db),
    jobs: new StoredJobs(db),
    links: new StoredLinks(db),
    live: liveStoreOver(db),
    orders: new StoredOrders(db),
    people: new StoredPeople(db),
    priorities: new StoredPriorities(db),
    profiles: new StoredProfiles(db),
    pulls: new StoredPulls(db),
    samples: new StoredSamples(db),
    streams: new StoredStreams(db),
    summaries: new StoredSummaries(db),
    teams: new StoredTeams(db),
    users: new StoredUsers(db),
    webhooks: new StoredWebhooks(db),
  }
}
