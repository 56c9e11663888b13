/** The parts of the port that are the same for every database. */
import { ConsolePasskeyStore } from './console/passkeys.ts'
import { ConsolePersonStore } from './console/people.ts'
import { ConsoleStore } from './console/sessions.ts'
import { ContinuousQueryStore } from './continuous/query-store.ts'
import { CounterStore } from './counters.ts'
import type { Database } from './database.ts'
import { DeliveryStore } from './deliveries/deliveries.ts'
import { EventStore } from './events/events.ts'
import { FaultStore } from './faults.ts'
import { HistoryStore } from './history/history.ts'
import { ImportStore } from './imports/import-store.ts'
import { JobStore } from './jobs.ts'
import { LinkStore } from './links/links.ts'
import { liveStoreOver } from './live/store.ts'
import { OrderStore } from './orders/orders.ts'
import { SampleStore, StreamStore, SummaryStore } from './samples/sample-stores.ts'
import { SessionMatchStore } from './samples/session-matches.ts'
import { AuditStore } from './teams/audit.ts'
import { ClockStore } from './teams/clock.ts'
import { ResponseStore } from './teams/keyed-responses.ts'
import { PriorityStore } from './teams/priorities.ts'
import { SourceOrderStore } from './teams/source-orders.ts'
import { TeamStore } from './teams/teams.ts'
import { ConnectionStore } from './users/connection-store.ts'
import { DeviceStore } from './users/devices.ts'
import { PersonStore } from './users/people.ts'
import { ProfileStore } from './users/profiles.ts'
import { PullStore } from './users/pulls.ts'
import { UserStore } from './users/user-store.ts'
import { WebhookStore } from './webhooks/webhooks.ts'

export interface Parts extends Readonly<ReturnType<typeof partsOver>> {}

export function partsOver(db: Database) {
  return {
    responses: new ResponseStore(db),
    audit: new AuditStore(db),
    clock: new ClockStore(db),
    connections: new ConnectionStore(db),
    console: new ConsoleStore(db),
    consolePasskeys: new ConsolePasskeyStore(db),
    consolePeople: new ConsolePersonStore(db),
    continuous: new ContinuousQueryStore(db),
    counters: new CounterStore(db),
    deliveries: new DeliveryStore(db),
    devices: new DeviceStore(db),
    events: new EventStore(db),
    faults: new FaultStore(db),
    history: new HistoryStore(db),
    imports: new ImportStore(db),
    jobs: new JobStore(db),
    links: new LinkStore(db),
    live: liveStoreOver(db),
    orders: new OrderStore(db),
    people: new PersonStore(db),
    priorities: new PriorityStore(db),
    profiles: new ProfileStore(db),
    pulls: new PullStore(db),
    samples: new SampleStore(db),
    sessionMatches: new SessionMatchStore(db),
    sourceOrders: new SourceOrderStore(db),
    streams: new StreamStore(db),
    summaries: new SummaryStore(db),
    teams: new TeamStore(db),
    users: new UserStore(db),
    webhooks: new WebhookStore(db),
  }
}
